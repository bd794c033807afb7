/**
 * One request to Google: with an access token, within a deadline, answered by a value. A token that is
 * not taken is fetched anew once.
 */
import { type AccessTokens, createAccessTokens } from '../../../platform/google/access-token.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import { known, type Lookup } from '../../../platform/lookup.ts'
import { withDeadline } from '../../../platform/net/deadline.ts'
import { type HttpJsonAnswer, requestJson } from '../../../platform/net/http-json.ts'
import { faultOfReply, faultOfSilence, faultOfToken, NOT_CONNECTED, unavailable } from './faults.ts'
import type { Answer } from './port.ts'

/** An account, and where it is used. Addresses have no slash at the end. */
export type GoogleConnection = {
  account: ServiceAccount
  api_url: string
  token_url: string
  pubsub_url: string
}

export type GoogleOptions = {
  /** Undefined when there is none; what it throws counts as being away. */
  connection: () => Promise<GoogleConnection | undefined>
  deadline_ms: number
  now: () => Date
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type GoogleCall = {
  verb: Verb
  at: 'api_url' | 'pubsub_url'
  /** From the slash on, ready to be sent; see `pathOf`. */
  path: string
  query?: Readonly<Record<string, string>>
  body?: object
  /** Values in the query or body that must not be repeated. */
  secrets?: readonly string[]
  deadline_ms?: number
  max_bytes?: number
  signal?: AbortSignal
}

/** What Google answered: an object, or that nothing was modified. */
export type GoogleReply = { status: 200 | 304; body: Record<string, unknown> }

export type Google = {
  connected(): Promise<Answer<GoogleConnection>>
  ask(call: GoogleCall): Promise<Answer<GoogleReply>>
}

/** One token is for both, and all that use it share it. */
const SCOPES = [
  'https://www.googleapis.com/auth/androidmanagement',
  'https://www.googleapis.com/auth/pubsub',
]
const MAX_BYTES = 2_097_152

export function createGoogle({ connection, deadline_ms, now }: GoogleOptions): Google {
  const tokensOf = createTokenKeeper({ deadline_ms, now })

  const connected = async (): Promise<Answer<GoogleConnection>> => {
    try {
      const value = await connection()
      return value ? { ok: true, value } : { ok: false, fault: NOT_CONNECTED }
    } catch {
      const message = 'What device management is connected to cannot be used at the moment.'
      return { ok: false, fault: unavailable(message, false) }
    }
  }

  const ask = async (call: GoogleCall): Promise<Answer<GoogleReply>> => {
    const timeoutMs = call.deadline_ms ?? deadline_ms
    const answer = await withDeadline({ timeoutMs, signal: call.signal }, async (signal) => {
      const target = await connected()
      if (!target.ok) return known(target)
      const tokens = tokensOf(target.value)
      return known(await authorised(call, target.value, tokens, { timeoutMs, signal, now }))
    })
    if (answer.known) return answer.value
    return { ok: false, fault: faultOfSilence(answer.reason, isChange(call)) }
  }
  return { connected, ask }
}

type Limits = { timeoutMs: number; signal: AbortSignal; now: () => Date }

async function authorised(
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
    return read(call, answer, {
      secrets: [token.value, ...(call.secrets ?? [])],
      now: limits.now(),
    })
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

/** The tokens of the account that was used last: another one is another connection. */
function createTokenKeeper({ deadline_ms, now }: Pick<GoogleOptions, 'deadline_ms' | 'now'>) {
  let kept: { key: string; tokens: AccessTokens } | undefined
  return ({ account, token_url }: GoogleConnection): AccessTokens => {
    const key = [account.client_email, account.private_key_id, token_url].join(' ')
    if (kept?.key !== key) {
      const options = { account, token_url, scopes: SCOPES, now, timeout_ms: deadline_ms }
      kept = { key, tokens: createAccessTokens(options) }
    }
    return kept.tokens
  }
}

const SEGMENT = /^[A-Za-z0-9._~%+:-]{1,300}$/

/**
 * The path of a resource by its name (`enterprises/…/devices/…`), of which every part is sent as a
 * part. @returns undefined for what is no name, which must not lead a request elsewhere.
 */
export function pathOf(name: string): string | undefined {
  const segments = name.split('/')
  const isName = segments.every((one) => SEGMENT.test(one) && one !== '.' && one !== '..')
  if (!isName || segments.length > 6) return undefined
  return `/v1/${segments.map(encodeURIComponent).join('/')}`
}
