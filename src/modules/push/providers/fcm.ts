/** Sends notifications to Android devices through the HTTP v1 API of FCM. */
import { createHash } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import {
  type AccessTokens,
  createAccessTokens,
  type TokenAnswer,
} from '../../../platform/google/access-token.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import { createHttp2Pool } from '../../../platform/net/http2/pool.ts'
import { writeFcmBody } from '../payloads/fcm.ts'
import { outcomeOfUnanswered, type ProviderAnswer } from './answer.ts'
import { type Attempt, leftMs, race, reasonOf, startAttempt } from './attempt.ts'
import { type ConnectionOptions, poolOptions } from './connection.ts'
import { outcomeOfFcm, TEXTS } from './fcm-outcome.ts'
import {
  type AndroidMessage,
  credentialRejected,
  type PushSender,
  rejected,
  retry,
  type SendResult,
  throttled,
} from './port.ts'

export type FcmSenderOptions = ConnectionOptions & {
  /** Without a trailing slash. */
  readonly url: string
  readonly token_url: string
  /** Deadline of one attempt, including a request for an access token. */
  readonly deadline_ms: number
  readonly now: () => Date
}

export const FCM_URL = 'https://fcm.googleapis.com'
export const FCM_SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'

const TOKEN_PAUSE_S = 60

/** All projects share the connections; access tokens are cached per account. */
export function createFcmSender(
  options: FcmSenderOptions,
): PushSender<AndroidMessage, ServiceAccount> {
  const pool = createHttp2Pool(poolOptions(options.url, options))
  const trusting = options.ca === undefined ? undefined : new Agent({ connect: { ca: options.ca } })
  const tokensOf = createTokenCache(options, trusting)

  const post = (account: ServiceAccount, token: string, body: string, attempt: Attempt) =>
    pool.request({
      method: 'POST',
      path: `/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      deadline_ms: leftMs(attempt),
      signal: attempt.signal,
    })

  /** Replaces a rejected access token once. */
  const send = async (account: ServiceAccount, body: string, attempt: Attempt) => {
    const tokens = tokensOf(account)
    if (!tokens) return credentialRejected('UNREADABLE_KEY', TEXTS.unreadable)
    for (let attempts = 1; ; attempts += 1) {
      const token = tokens.stored() ?? (await race(attempt, tokens.token()))
      if (!token) return retry(reasonOf(attempt), false)
      if (!token.known) return outcomeOfToken(token)
      const outcome = await post(account, token.value, body, attempt)
      if (outcome.kind !== 'answered') return outcomeOfUnanswered(outcome)
      const result = outcomeOfFcm(outcome, options.now())
      if (!isTokenRefused(outcome, result)) return result
      tokens.forget(token.value)
      if (attempts > 1) return result
    }
  }

  return {
    send: async (message, account, { signal }) => {
      const body = writeFcmBody(message)
      if (!body.ok) return rejected(`${body.fault.field} ${body.fault.message}`)
      return await send(account, body.value, startAttempt(options.deadline_ms, signal))
    },
    inFlight: pool.inFlight,
    close: async (drainMs) => {
      await pool.close(drainMs)
      await trusting?.destroy()
    },
  }
}

const isTokenRefused = ({ status }: ProviderAnswer, result: SendResult): boolean =>
  status === 401 &&
  result.kind === 'credential_rejected' &&
  result.reason !== 'THIRD_PARTY_AUTH_ERROR'

/** Result when no access token was available, so that FCM was never called. */
function outcomeOfToken({ reason }: Extract<TokenAnswer, { known: false }>): SendResult {
  if (reason === 'refused') return credentialRejected('invalid_grant', TEXTS.grant)
  if (reason === 'rate_limited') return throttled('application', TOKEN_PAUSE_S)
  return retry(`token_${reason}`, false)
}

const ACCOUNTS_MAX = 1000
/** A refusal is cached for this long, so that not every message of a broadcast repeats the request. */
const REFUSAL_MS = 10_000

type Tokens = Pick<AccessTokens, 'stored' | 'token' | 'forget'>

/** Access tokens per key file; undefined for a key that cannot be read. */
function createTokenCache(
  { token_url, deadline_ms, now }: FcmSenderOptions,
  dispatcher: Dispatcher | undefined,
) {
  const cache = new Map<string, Tokens>()
  const ids = new WeakMap<ServiceAccount, string>()
  return (account: ServiceAccount): Tokens | undefined => {
    const id = ids.get(account) ?? accountId(account)
    ids.set(account, id)
    const cached = cache.get(id)
    if (cached) return cached
    try {
      const scopes = [FCM_SCOPE]
      const options = { account, token_url, scopes, now, timeout_ms: deadline_ms, dispatcher }
      const tokens = cacheRefusals(createAccessTokens(options), now)
      cache.set(id, tokens)
      const [oldest] = cache.keys()
      if (cache.size > ACCOUNTS_MAX && oldest !== undefined) cache.delete(oldest)
      return tokens
    } catch {
      return undefined
    }
  }
}

function accountId({ client_email, private_key_id, private_key }: ServiceAccount): string {
  const fingerprint = createHash('sha256').update(private_key).digest('base64url')
  return `${client_email} ${private_key_id} ${fingerprint}`
}

function cacheRefusals(tokens: AccessTokens, now: () => Date): Tokens {
  let refusal: { answer: TokenAnswer; until: number } | undefined
  return {
    token: async () => {
      if (refusal && refusal.until > now().getTime()) return refusal.answer
      const answer = await tokens.token()
      const isRefused = !answer.known && answer.reason === 'refused'
      refusal = isRefused ? { answer, until: now().getTime() + REFUSAL_MS } : undefined
      return answer
    },
    stored: tokens.stored,
    forget: tokens.forget,
  }
}
