/**
 * A mobile operator for tests and trials: CAMARA SIM Swap 2.1.0 under `/sim-swap/v2` and the OAuth 2
 * token endpoint of its clients.
 */
import { type CamaraScenario, readCamaraScenario } from './camara-scenario.ts'
import { answerSimSwap, failure, type Operation } from './camara-sim-swap.ts'
import { createTokenServer, type TokenServer } from './camara-token.ts'
import { type HttpReply, type HttpRequest, startHttp } from './http-server.ts'

export { type CamaraScenario, example, readCamaraScenario } from './camara-scenario.ts'

export type CamaraEmulator = {
  /** The `{apiRoot}` of the API description, without a slash at the end. */
  readonly url: string
  /** Base of the two operations, `{apiRoot}/sim-swap/v2`. */
  readonly sim_swap_url: string
  readonly token_url: string
  readonly port: number
  /** The last thousand requests, oldest first. */
  readonly requests: HttpRequest[]
  setScenario: (scenario: CamaraScenario) => void
  revokeTokens: () => void
  close: () => Promise<void>
}

const BASE_PATH = '/sim-swap/v2'
const TOKEN_PATH = '/oauth2/token'
const CORRELATOR = /^[a-zA-Z0-9\-_:;./<>{}]{0,256}$/

/** Starts the operator. Port 0 takes a free one; `now` is the clock of scenarios and tokens. */
export async function startCamara(options: {
  port?: number
  host?: string
  scenario: CamaraScenario
  now?: () => Date
}): Promise<CamaraEmulator> {
  const now = options.now ?? (() => new Date())
  const tokens = createTokenServer(now)
  let scenario = readCamaraScenario(options.scenario)
  const http = await startHttp({
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    handle: (request) =>
      request.path === TOKEN_PATH
        ? answerToken(scenario, tokens, request, `${http.url}${TOKEN_PATH}`)
        : answerApi({ scenario, tokens, request, now: now() }),
  })
  return {
    url: http.url,
    sim_swap_url: `${http.url}${BASE_PATH}`,
    token_url: `${http.url}${TOKEN_PATH}`,
    port: http.port,
    requests: http.requests,
    setScenario: (next) => {
      scenario = readCamaraScenario(next)
    },
    revokeTokens: () => tokens.revokeAll(),
    close: () => http.close(),
  }
}

async function answerToken(
  scenario: CamaraScenario,
  tokens: TokenServer,
  request: HttpRequest,
  tokenUrl: string,
): Promise<HttpReply> {
  const fault = { latency_ms: scenario.token_latency_ms, fault: scenario.token_fault }
  if (scenario.token_fault === '429') return { ...fault, status: 429, body: {} }
  if (scenario.token_fault === '500') return { ...fault, status: 500, body: {} }
  if (request.method !== 'POST') return { ...fault, ...failure('METHOD_NOT_ALLOWED') }
  return { ...fault, ...(await tokens.issue(scenario, request, tokenUrl)) }
}

type ApiCall = {
  readonly scenario: CamaraScenario
  readonly tokens: TokenServer
  readonly request: HttpRequest
  readonly now: Date
}

function answerApi(call: ApiCall): HttpReply {
  const { scenario, request } = call
  const body = parse(request.body)
  const phone = scenario.phones[phoneNumberOf(body)]
  const fault = phone?.fault ?? scenario.fault
  const correlator = request.headers['x-correlator']
  const isEchoed = correlator !== undefined && CORRELATOR.test(correlator)
  return {
    ...(faultReply(fault) ?? apiReply(call, body)),
    headers: isEchoed ? { 'x-correlator': correlator } : {},
    latency_ms: phone?.latency_ms ?? scenario.latency_ms,
    fault,
  }
}

function faultReply(fault: CamaraScenario['fault']): HttpReply | undefined {
  if (fault === '429') return failure('TOO_MANY_REQUESTS')
  return fault === '500' ? failure('INTERNAL') : undefined
}

function apiReply({ scenario, tokens, request, now }: ApiCall, body: unknown): HttpReply {
  const operation = operationOf(request.path)
  if (operation === undefined) return failure('NOT_FOUND')
  if (request.method !== 'POST') return failure('METHOD_NOT_ALLOWED')
  const [, token] = /^Bearer (\S+)$/i.exec(request.headers['authorization'] ?? '') ?? []
  const grant = token === undefined ? undefined : tokens.find(scenario, token)
  if (grant === undefined) return failure('UNAUTHENTICATED')
  const correlator = request.headers['x-correlator'] ?? ''
  if (!CORRELATOR.test(correlator)) return failure('INVALID_ARGUMENT')
  return answerSimSwap(scenario, { operation, grant, body, now })
}

function operationOf(path: string): Operation | undefined {
  if (path === `${BASE_PATH}/check`) return 'check'
  return path === `${BASE_PATH}/retrieve-date` ? 'retrieve-date' : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function phoneNumberOf(body: unknown): string {
  const named = typeof body === 'object' && body !== null && 'phoneNumber' in body
  return named && typeof body.phoneNumber === 'string' ? body.phoneNumber : ''
}
