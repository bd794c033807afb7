/**
 * Sends requests to Google with an access token and within a deadline. A token that Google no longer
 * accepts is replaced once.
 */
import { type AccessTokens, createAccessTokens } from '../../../platform/google/access-token.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import { known, type Lookup } from '../../../platform/lookup.ts'
import { withDeadline } from '../../../platform/net/deadline.ts'
import { type HttpJsonAnswer, requestJson } from '../../../platform/net/http-json.ts'
import { faultOfReply, faultOfSilence, faultOfToken, unavailable } from './faults.ts'
import type { Answer } from './port.ts'

/** A service account and the URLs to use it with, which do not end with a slash. */
export type GoogleConnection = {
  account: ServiceAccount
  api_url: string
  token_url: string
  pubsub_url: string
}

export type GoogleOptions = {
  /** Returns undefined without a connection; an error counts as `unavailable`. */
  connection: () => Promise<GoogleConnection | undefined>
  deadline_ms: number
  now: () => Date
}

export type GoogleCall = {
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  at: 'api_url' | 'pubsub_url'
  /** The encoded path with its leading slash; see `pathOf`. */
  path: string
  query?: Readonly<Record<string, string>>
  body?: object
  /** Values of the query or body that must not appear in messages. */
  secrets?: readonly string[]
  deadline_ms?: number
  max_bytes?: number
  signal?: AbortSignal
}

/** The answer of Google: a JSON object, or status 304 with an empty one. */
export type GoogleReply = { status: 200 | 304; body: Record<string, unknown> }

export type Google = {
  connection(): Promise<Answer<GoogleConnection>>
  request(call: GoogleCall): Promise<Answer<GoogleReply>>
}

/** One token covers both APIs and is shared by all requests. */
const SCOPES = [
  'https://www.googleapis.com/auth/androidmanagement',
  'https://www.googleapis.com/auth/pubsub',
]
const MAX_BYTES = 2_097_152

export function createGoogle(options: GoogleOptions): Google {
  const { deadline_ms, now } = options
  const tokensOf = createTokenCache({ deadline_ms, now })

  const connection = async (): Promise<Answer<GoogleConnection>> => {
    try {
      const value = await options.connection()
      return value ? { ok: true, value } : { ok: false, fault: unavailable(NOT_CONNECTED, false) }
    } catch {
      return { ok: false, fault: unavailable(UNUSABLE, false) }
    }
  }

  const request = async (call: GoogleCall): Promise<Answer<GoogleReply>> => {
    const timeoutMs = call.deadline_ms ?? deadline_ms
    const answer = await withDeadline({ timeoutMs, signal: call.signal }, async (signal) => {
      const target = await connection()
      if (!target.ok) return known(target)
      const tokens = tokensOf(target.value)
      return known(await sendAuthorized(call, target.value, tokens, { timeoutMs, signal, now }))
    })
    if (answer.known) return answer.value
    return { ok: false, fault: faultOfSilence(answer.reason, isChange(call)) }
  }
  return { connection, request }
}

const NOT_CONNECTED = 'Device management is not connected to Google; run `vigil mdm connect`.'
const UNUSABLE = 'The connection of device management cannot be used at the moment.'

type Limits = { timeoutMs: number; signal: AbortSignal; now: () => Date }

async function sendAuthorized(
  call: GoogleCall,
  target: GoogleConnection,
  tokens: AccessTokens,
  limits: Limits,
): Promise<Answer<GoogleReply>> {
  for (let attempt = 1; ; attempt += 1) {
    const token = await tokens.token()
    if (!token.known) return { ok: false, fault: faultOfToken(token.reason, token.detail) }
    const answer = await send(call, target, token.value, limits)
    if (answer.known && answer.value.status === 401 && attempt === 1) {
      tokens.forget(token.value)
      continue
    }
    const secrets = [token.value, ...(call.secrets ?? [])]
    return read(call, answer, { secrets, now: limits.now() })
  }
}

async function send(
  call: GoogleCall,
  target: GoogleConnection,
  token: string,
  { timeoutMs, signal }: Limits,
): Promise<Lookup<HttpJsonAnswer>> {
  const query = new URLSearchParams(call.query).toString()
  return await requestJson({
    url: `${target[call.at]}${call.path}${query === '' ? '' : `?${query}`}`,
    method: call.verb,
    headers: {
      authorization: `Bearer ${token}`,
      ...(call.body && { 'content-type': 'application/json' }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
    maxBytes: call.max_bytes ?? MAX_BYTES,
    timeoutMs,
    signal,
  })
}

function read(
  call: GoogleCall,
  answer: Lookup<HttpJsonAnswer>,
  context: { secrets: readonly string[]; now: Date },
): Answer<GoogleReply> {
  const is_change = isChange(call)
  if (!answer.known) return { ok: false, fault: faultOfSilence(answer.reason, is_change) }
  const { status, headers, body } = answer.value
  if (status === 304) return { ok: true, value: { status: 304, body: {} } }
  if (status < 200 || status >= 300) {
    const reply = { status, retry_after: headers['retry-after'], body }
    return { ok: false, fault: faultOfReply(reply, { is_change, ...context }) }
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, fault: faultOfSilence('bad_answer', is_change) }
  }
  return { ok: true, value: { status: 200, body: body as Record<string, unknown> } }
}

const isChange = ({ verb }: GoogleCall): boolean => verb !== 'GET'

/** Caches the tokens of one account: a changed account is a new connection. */
function createTokenCache({ deadline_ms, now }: Pick<GoogleOptions, 'deadline_ms' | 'now'>) {
  let cached: { key: string; tokens: AccessTokens } | undefined
  return ({ account, token_url }: GoogleConnection): AccessTokens => {
    const key = [account.client_email, account.private_key_id, token_url].join(' ')
    if (cached?.key !== key) {
      const options = { account, token_url, scopes: SCOPES, now, timeout_ms: deadline_ms }
      cached = { key, tokens: createAccessTokens(options) }
    }
    return cached.tokens
  }
}

const SEGMENT = /^[A-Za-z0-9._~%+:-]{1,300}$/

/**
 * Encodes the name of a resource (`enterprises/…/devices/…`) as a path.
 *
 * @returns undefined for an invalid name, which could lead the request elsewhere
 */
export function pathOf(name: string): string | undefined {
  const segments = name.split('/')
  const isName = segments.every((one) => SEGMENT.test(one) && one !== '.' && one !== '..')
  if (!isName || segments.length > 6) return undefined
  return `/v1/${segments.map(encodeURIComponent).join('/')}`
}
