/** Routes the requests of the emulator, applies faults to those of the APIs, and records them. */
import { readApiDescription } from '../../src/platform/google/api-description.ts'
import { callControl, isControlPath, type RequestRecord, recordOf } from '../control-routes.ts'
import { ApiError, errorReply, internalError } from '../google-errors.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import { callMethod } from './android-api.ts'
import type { AndroidControl } from './control.ts'
import { CONTROL_ROUTES } from './control-routes.ts'
import type { Core } from './core.ts'
import { isCrossOrigin } from './cross-origin.ts'
import type { FaultSource } from './faults.ts'
import { authorize, issueToken } from './oauth.ts'
import { page } from './page.ts'
import type { Broker } from './pubsub.ts'
import { callPubSub, isPubSubPath } from './pubsub-api.ts'
import type { Push } from './push.ts'
import { callSignup, SIGNUP_PREFIX } from './signup-page.ts'

const MAX_REQUESTS = 1_000
/** The paths to which faults apply. */
const API = /^\/(v1|token|oauth2)(\/|$)/

const CROSS_ORIGIN = new ApiError(
  'PERMISSION_DENIED',
  'The control interface cannot be used by pages of other sites',
)

type Handler = (request: HttpRequest) => Promise<HttpReply>

/** @param options `requests` receives the recorded requests */
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
    return callMethod(core, api, { request, path, query })
  }

  const answer: Handler = async (request) => {
    const { pathname: path, searchParams: query } = new URL(request.path, 'http://emulator')
    if (path === '/') return page
    if (isControlPath(path)) {
      if (isCrossOrigin(request, core.url())) throw CROSS_ORIGIN
      return { status: 200, body: callControl(CONTROL_ROUTES, control, request) }
    }
    if (path.startsWith(SIGNUP_PREFIX)) return callSignup(core, request, path)
    const refusal = API.test(path) ? faults.refusal() : undefined
    return refusal ?? (await answerApi(request, path, query))
  }

  return async (request) => {
    const answered = await answer(request).catch(replyTo)
    if (!API.test(request.path.split('?')[0] ?? '')) return answered
    const reply = { ...answered, ...(faults.losesAnswer() && { fault: 'reset' as const }) }
    requests.push(recordOf(core.now(), request, reply))
    if (requests.length > MAX_REQUESTS) requests.shift()
    return { ...reply, latency_ms: faults.latencyMs() }
  }
}

const replyTo = (error: unknown): HttpReply =>
  error instanceof ApiError ? errorReply(error) : internalError(error)
