/** Sends notifications to Apple devices through APNs, authenticated by provider tokens. */
import { createHttp2Pool, type Http2Pool } from '../../../platform/net/http2/pool.ts'
import { buildApnsRequest } from '../payloads/apns.ts'
import { outcomeOfUnanswered } from './answer.ts'
import { isAboutTopic, outcomeOfApns, TEXTS } from './apns-outcome.ts'
import { type ApnsCredential, createApnsTokens, credentialId } from './apns-token.ts'
import { type Attempt, leftMs, startAttempt } from './attempt.ts'
import { type ConnectionOptions, poolOptions } from './connection.ts'
import {
  type AppleMessage,
  credentialRejected,
  type PushSender,
  rejected,
  type SendResult,
  throttled,
} from './port.ts'

export type ApnsSenderOptions = ConnectionOptions & {
  /** Without a trailing slash. */
  readonly urls: Readonly<Record<ApnsCredential['environment'], string>>
  /** Deadline of one attempt. */
  readonly deadline_ms: number
  readonly now: () => Date
}

export const APNS_URLS: ApnsSenderOptions['urls'] = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
}

/** Device tokens become part of the path, so anything but hexadecimal digits is refused. */
const TOKEN = /^(?:[0-9a-fA-F]{2}){8,100}$/
const RENEWAL_PAUSE_S = 120

/**
 * Every key has separate connections: Apple binds a connection to the first key that it sees there
 * (`UnrelatedKeyIdInToken`), and a rejected key must not take down the connections of others.
 */
export function createApnsSender(
  options: ApnsSenderOptions,
): PushSender<AppleMessage, ApnsCredential> {
  const tokens = createApnsTokens(options)
  const pools = createPools(options)

  /** Renews an expired provider token once. */
  const send = async (
    message: AppleMessage,
    request: { headers: Readonly<Record<string, string>>; body: string },
    credential: ApnsCredential,
    attempt: Attempt,
  ): Promise<SendResult> => {
    let token = tokens.token(credential)
    if (token === undefined) return credentialRejected('UnreadableKey', TEXTS.unreadable)
    for (let attempts = 1; ; attempts += 1) {
      const pool = pools.poolOf(credential)
      const outcome = await pool.request({
        method: 'POST',
        path: `/3/device/${message.token.toLowerCase()}`,
        headers: { authorization: `bearer ${token}`, ...request.headers },
        body: request.body,
        deadline_ms: leftMs(attempt),
        signal: attempt.signal,
      })
      if (outcome.kind !== 'answered') return outcomeOfUnanswered(outcome)
      const result = outcomeOfApns(outcome, message.recipient_id, options.now())
      if (result.kind === 'throttled' && result.scope === 'token_updates') tokens.hold(credential)
      if (result.kind !== 'credential_rejected') return result
      if (result.reason !== 'ExpiredProviderToken' || attempts > 1) {
        if (!isAboutTopic(result.reason)) pools.drop(credential, pool)
        return result
      }
      token = tokens.renew(credential, token)
      if (token === undefined) return throttled('token_updates', RENEWAL_PAUSE_S)
    }
  }

  return {
    send: async (message, credential, { signal }) => {
      if (!TOKEN.test(message.token)) return { kind: 'token_invalid', reason: 'MalformedToken' }
      const built = buildApnsRequest(message, options.now())
      if (!built.ok) return rejected(`${built.fault.field} ${built.fault.message}`)
      const attempt = startAttempt(options.deadline_ms, signal)
      return await send(message, built.value, credential, attempt)
    },
    inFlight: pools.inFlight,
    close: pools.close,
  }
}

const POOLS_MAX = 500
/** Requests under way finish within their own deadlines. */
const dropDrainMs = ({ deadline_ms }: ApnsSenderOptions): number => deadline_ms + 1000

/** Connection pools per key. Beyond `POOLS_MAX`, the least recently used pool is closed. */
function createPools(options: ApnsSenderOptions) {
  const pools = new Map<string, Http2Pool>()
  const closing = new Set<Http2Pool>()
  let isClosed = false

  const idOf = (credential: ApnsCredential) =>
    `${credential.environment} ${credentialId(credential)}`
  const release = async (id: string, pool: Http2Pool): Promise<void> => {
    pools.delete(id)
    closing.add(pool)
    await pool.close(dropDrainMs(options))
    closing.delete(pool)
  }
  const all = () => [...pools.values(), ...closing]

  return {
    poolOf: (credential: ApnsCredential): Http2Pool => {
      const id = idOf(credential)
      const known = pools.get(id)
      const origin = options.urls[credential.environment]
      const pool = known ?? createHttp2Pool({ ...poolOptions(origin, options), first_streams: 1 })
      if (isClosed && !known) void pool.close(0)
      pools.delete(id)
      pools.set(id, pool)
      const [oldest] = pools
      if (pools.size > POOLS_MAX && oldest) void release(...oldest)
      return pool
    },
    /** Closes the connections of a rejected key; the next send opens new ones. */
    drop: (credential: ApnsCredential, pool: Http2Pool): void => {
      const id = idOf(credential)
      if (pools.get(id) === pool) void release(id, pool)
    },
    inFlight: () => all().reduce((sum, pool) => sum + pool.inFlight(), 0),
    close: async (drainMs: number): Promise<void> => {
      isClosed = true
      await Promise.all(all().map((pool) => pool.close(drainMs)))
    },
  }
}
