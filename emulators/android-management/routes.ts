/** Which part of the emulator answers a request, what troubles the APIs, and what is remembered. */
import { readApiDescription } from '../../src/platform/google/api-description.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import { callMethod } from './android-api.ts'
import type { AndroidControl, RequestRecord } from './control.ts'
import { CONTROL_PREFIX, callControl } from './control-api.ts'
import type { Core } from './core.ts'
import { ApiError, errorReply } from './errors.ts'
import type { FaultSource } from './faults.ts'
import { isFromForeignPage } from './foreign-page.ts'
import { authorize, issueToken } from './oauth.ts'
import { page } from './page.ts'
import type { Broker } from './pubsub.ts'
import { callPubSub, isPubSubPath } from './pubsub-api.ts'
import type { Push } from './push.ts'
import { callSignup, SIGNUP_PREFIX } from './signup-page.ts'

const MAX_REQUESTS = 1_000
/** What faults apply to. */
const API = /^\/(v1|token|oauth2)(\/|$)/

const NOT_FOR_PAGES = new ApiError(
  'PERMISSION_DENIED',
  'The control interface is not for pages of other sites',
)

type Handler = (request: HttpRequest) => Promise<HttpReply>

/** @param options `requests` is written to */
export function createRoutes(options: {
  core: Core
  broker: Broker
  faults: FaultSource
  push: Push
  control: AndroidControl
  requests: RequestRecord[]
}): Handler {
  const { core, broker, faults, push, control, requests } = options
  const api = readApiDescription('android-management')

  const answerApi = async (
    request: HttpRequest,
    path: string,
    query: URLSearchParams,
  ): Promise<HttpReply> => {
    if (path === '/token' && request.method === 'POST') return await issueToken(core, request)
    if (path === '/oauth2/v3/certs') return { status: 200, body: await push.keys() }
    if (isPubSubPath(path)) {
      authorize(core, request, 'pubsub')
      return await callPubSub(core, broker, request, path)
    }
    if (path.startsWith('/v1/')) authorize(core, request, 'androidmanagement')
    return callMethod(core, api, request, path, query)
  }

  const answer: Handler = async (request) => {
    const { pathname: path, searchParams: query } = new URL(request.path, 'http://emulator')
    if (path === '/') return page
    if (path.startsWith(CONTROL_PREFIX)) {
      if (isFromForeignPage(request, core.url())) throw NOT_FOR_PAGES
      return callControl(control, request, path, query)
    }
    if (path.startsWith(SIGNUP_PREFIX)) return callSignup(core, request, path)
    const refusal = API.test(path) ? faults.refusal() : undefined
    return refusal ?? (await answerApi(request, path, query))
  }

  return async (request) => {
    const answered = await answer(request).catch(replyTo)
    if (!API.test(request.path.split('?')[0] ?? '')) return answered
    const reply = { ...answered, ...(faults.losesAnswer() && { fault: 'reset' as const }) }
    const { fault, status } = reply
    requests.push({
      at: core.now().toISOString(),
      method: request.method,
      path: request.path,
      status: fault === undefined ? status : null,
    })
    if (requests.length > MAX_REQUESTS) requests.shift()
    return { ...reply, latency_ms: faults.latencyMs() }
  }
}

function replyTo(error: unknown): HttpReply {
  if (error instanceof ApiError) return errorReply(error)
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 500, body: { error: { code: 500, message, status: 'INTERNAL' } } }
}
