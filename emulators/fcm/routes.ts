/** Which part of the FCM emulator answers a request, and what is remembered of it. */
import type { ApiDescription } from '../../src/platform/google/api-description.ts'
import { ApiError } from '../android-management/errors.ts'
import { CONTROL_PREFIX, callControl, json } from '../control-routes.ts'
import type { WireReply, WireRequest } from '../http2-wire.ts'
import type { FcmControl } from './control.ts'
import { CONTROL_ROUTES } from './control-api.ts'
import type { Core } from './core.ts'
import { replyOf } from './errors.ts'
import { answerSend } from './send.ts'

const SEND = /^\/v1\/projects\/([^/:?]+)\/messages:send(?:\?|$)/
const TOKEN = '/token'

export function createRoutes(core: Core, control: FcmControl, api: ApiDescription) {
  const keep = (request: WireRequest, reply: WireReply): WireReply => {
    core.requests.add({
      at: core.now().toISOString(),
      method: request.method,
      path: request.path,
      status: reply.fault === undefined ? reply.status : null,
    })
    return reply
  }

  return (request: WireRequest): WireReply | Promise<WireReply> => {
    const { method, path } = request
    const [, projectId] = method === 'POST' ? (SEND.exec(path) ?? []) : []
    if (projectId !== undefined) {
      const reply = answerSend(core, api, request, projectId)
      return { ...keep(request, reply), latency_ms: core.faults.latencyMs() }
    }
    if (path.startsWith(CONTROL_PREFIX)) return callControl(CONTROL_ROUTES, control, request)
    if (method === 'POST' && path === TOKEN) {
      return answerToken(core, request).then((reply) => keep(request, reply))
    }
    const unknown = new ApiError(
      'NOT_FOUND',
      `The requested URL ${path} was not found on this server.`,
    )
    return keep(request, replyOf(unknown))
  }
}

async function answerToken(core: Core, { headers, body }: WireRequest): Promise<WireReply> {
  const { away, token_error, token_latency_ms = 0 } = core.faults.get()
  const latency_ms = token_latency_ms
  if (away === true) return { status: 0, fault: 'reset_connection' }
  if (token_error === 'unavailable') {
    return { ...json(503, { error: 'temporarily_unavailable' }), latency_ms }
  }
  if (token_error !== undefined) {
    const error_description = 'Invalid grant: account not found'
    return { ...json(400, { error: token_error, error_description }), latency_ms }
  }
  const host = headers[':authority'] ?? headers.host ?? ''
  // By whatever name it was reached.
  const audience = [`${core.url()}${TOKEN}`, `https://${host}${TOKEN}`]
  const answer = await core.oauth.issue(body.toString('utf8'), audience)
  return { ...json(answer.status, answer.body), latency_ms }
}
