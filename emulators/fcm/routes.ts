/** Routes the requests of the FCM emulator and records them. */
import type { ApiDescription } from '../../src/platform/google/api-description.ts'
import { isControlPath, recordOf } from '../control-routes.ts'
import { unknownUrl } from '../google-errors.ts'
import { jsonReply, type WireReply, type WireRequest } from '../http2-wire.ts'
import { answerControl } from '../push-control.ts'
import { CONTROL_ROUTES, type FcmControl } from './control.ts'
import type { Core } from './core.ts'
import { replyOf } from './errors.ts'
import { answerSend } from './send.ts'

const SEND = /^\/v1\/projects\/([^/:?]+)\/messages:send(?:\?|$)/
const TOKEN = '/token'

export function createRoutes(core: Core, control: FcmControl, api: ApiDescription) {
  const record = (request: WireRequest, reply: WireReply): WireReply => {
    core.requests.add(recordOf(core.now(), request, reply))
    return reply
  }

  return (request: WireRequest): WireReply | Promise<WireReply> => {
    const { method, path } = request
    const [, projectId] = method === 'POST' ? (SEND.exec(path) ?? []) : []
    if (projectId !== undefined) {
      const reply = answerSend(core, api, request, projectId)
      return { ...record(request, reply), latency_ms: core.faults.latencyMs() }
    }
    if (isControlPath(path)) return answerControl(CONTROL_ROUTES, control, request)
    if (method === 'POST' && path === TOKEN) {
      return answerToken(core, request).then((reply) => record(request, reply))
    }
    return record(request, replyOf(unknownUrl(path)))
  }
}

async function answerToken(core: Core, { headers, body }: WireRequest): Promise<WireReply> {
  const { unreachable, token_error, token_latency_ms = 0 } = core.faults.get()
  const latency_ms = token_latency_ms
  if (unreachable === true) return { status: 0, fault: 'reset_connection' }
  if (token_error === 'unavailable') {
    return { ...jsonReply(503, { error: 'temporarily_unavailable' }), latency_ms }
  }
  if (token_error !== undefined) {
    const error_description = 'Invalid grant: account not found'
    return { ...jsonReply(400, { error: token_error, error_description }), latency_ms }
  }
  const host = headers[':authority'] ?? headers.host ?? ''
  // The client may have used any name of this host.
  const audience = [`${core.url()}${TOKEN}`, `https://${host}${TOKEN}`]
  const answer = await core.oauth.issue(body.toString('utf8'), audience)
  return { ...jsonReply(answer.status, answer.body), latency_ms }
}
