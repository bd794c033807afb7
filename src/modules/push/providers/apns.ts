/** Sends to Apple's devices by APNs, with provider tokens. */
import { createHttp2Pool, type Http2Pool } from '../../../platform/net/http2/pool.ts'
import { buildApnsRequest } from '../payloads/apns.ts'
import { outcomeOfSilence } from './answer.ts'
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
  /** By environment; no slash at the end. */
  readonly urls: Readonly<Record<ApnsCredential['environment'], string>>
  /** Of one attempt. */
  readonly deadline_ms: number
  readonly now: () => Date
}

export const APNS_URLS: ApnsSenderOptions['urls'] = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
}

/** A token goes into the path. */
const TOKEN = /^(?:[0-9a-fA-F]{2}){8,100}$/
const RENEWAL_PAUSE_S = 120

/**
 * Every key has connections of its own: Apple lets one serve only the key whose token it saw first
 * (`UnrelatedKeyIdInToken`), and one that is refused takes nobody else's connection down.
 */
export function createApnsSender(
  options: ApnsSenderOptions,
): PushSender<AppleMessage, ApnsCredential> {
  const tokens = createApnsTokens(options)
  const pools = createPoolKeeper(options)

  /** A provider token that has expired is made anew once. */
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
      if (outcome.kind !== 'answered') return outcomeOfSilence(outcome)
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
/** Those who were sent before are answered or not within their own deadlines. */
const dropDrainMs = ({ deadline_ms }: ApnsSenderOptions): number => deadline_ms + 1000

/** The connections of each key; the one that was used least recently makes room for a new one. */
function createPoolKeeper(options: ApnsSenderOptions) {
  const pools = new Map<string, Http2Pool>()
  const leaving = new Set<Http2Pool>()
  let isClosed = false

  const idOf = (credential: ApnsCredential) =>
    `${credential.environment} ${credentialId(credential)}`
  const release = async (id: string, pool: Http2Pool): Promise<void> => {
    pools.delete(id)
    leaving.add(pool)
    await pool.close(dropDrainMs(options))
    leaving.delete(pool)
  }
  const all = () => [...pools.values(), ...leaving]

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
    /** What Apple refused needs no connection until somebody sends again. */
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
