/** Sends to Android devices by FCM's HTTP v1 API. */
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
import { outcomeOfSilence, type ProviderAnswer } from './answer.ts'
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
  /** No slash at the end. */
  readonly url: string
  readonly token_url: string
  /** Of one attempt, with the access token that it may need. */
  readonly deadline_ms: number
  readonly now: () => Date
}

export const FCM_URL = 'https://fcm.googleapis.com'
export const FCM_SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'

const TOKEN_PAUSE_S = 60

/** All projects share the connections; access tokens are kept per account. */
export function createFcmSender(
  options: FcmSenderOptions,
): PushSender<AndroidMessage, ServiceAccount> {
  const pool = createHttp2Pool(poolOptions(options.url, options))
  const trusting = options.ca === undefined ? undefined : new Agent({ connect: { ca: options.ca } })
  const tokensOf = createTokenKeeper(options, trusting)

  const post = (account: ServiceAccount, token: string, body: string, attempt: Attempt) =>
    pool.request({
      method: 'POST',
      path: `/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      deadline_ms: leftMs(attempt),
      signal: attempt.signal,
    })

  /** An access token that is not taken is fetched anew once. */
  const send = async (account: ServiceAccount, body: string, attempt: Attempt) => {
    const tokens = tokensOf(account)
    if (!tokens) return credentialRejected('UNREADABLE_KEY', TEXTS.unreadable)
    for (let attempts = 1; ; attempts += 1) {
      const token = tokens.stored() ?? (await race(attempt, tokens.token()))
      if (!token) return retry(reasonOf(attempt), false)
      if (!token.known) return outcomeOfToken(token)
      const outcome = await post(account, token.value, body, attempt)
      if (outcome.kind !== 'answered') return outcomeOfSilence(outcome)
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

/** FCM was not asked at all. */
function outcomeOfToken({ reason }: Extract<TokenAnswer, { known: false }>): SendResult {
  if (reason === 'refused') return credentialRejected('invalid_grant', TEXTS.grant)
  if (reason === 'rate_limited') return throttled('application', TOKEN_PAUSE_S)
  return retry(`token_${reason}`, false)
}

const ACCOUNTS_MAX = 1000
/** So long a refusal is remembered, lest each message of a broadcast asks again. */
const REFUSAL_MS = 10_000

type Tokens = Pick<AccessTokens, 'stored' | 'token' | 'forget'>

/** Access tokens per key file; undefined for one whose key cannot be read. */
function createTokenKeeper(
  { token_url, deadline_ms, now }: FcmSenderOptions,
  dispatcher: Dispatcher | undefined,
) {
  const kept = new Map<string, Tokens>()
  const ids = new WeakMap<ServiceAccount, string>()
  return (account: ServiceAccount): Tokens | undefined => {
    const id = ids.get(account) ?? accountId(account)
    ids.set(account, id)
    const known = kept.get(id)
    if (known) return known
    try {
      const scopes = [FCM_SCOPE]
      const options = { account, token_url, scopes, now, timeout_ms: deadline_ms, dispatcher }
      const made = rememberRefusals(createAccessTokens(options), now)
      kept.set(id, made)
      const [oldest] = kept.keys()
      if (kept.size > ACCOUNTS_MAX && oldest !== undefined) kept.delete(oldest)
      return made
    } catch {
      return undefined
    }
  }
}

function accountId({ client_email, private_key_id, private_key }: ServiceAccount): string {
  const fingerprint = createHash('sha256').update(private_key).digest('base64url')
  return `${client_email} ${private_key_id} ${fingerprint}`
}

function rememberRefusals(tokens: AccessTokens, now: () => Date): Tokens {
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
