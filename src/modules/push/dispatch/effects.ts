/** What an outcome changes: of the recipient, of its subscription, of the credential. Pure. */
import { retryDelayMs } from '../../../platform/dispatch/index.ts'
import type { SendResult } from '../providers/port.ts'
import type { Outcome } from './job.ts'

/** In the metrics. `stopped`: this process had to end. */
export type Verdict =
  | 'accepted'
  | 'failed'
  | 'retried'
  | 'throttled'
  | 'credential_rejected'
  | 'stopped'

export type Change =
  | { readonly status: 'accepted'; readonly provider_id: string | null }
  | { readonly status: 'failed'; readonly reason: string; readonly is_attempt: boolean }
  | {
      readonly status: 'pending'
      readonly reason: string
      readonly is_unsure: boolean
      /** Null: at once. */
      readonly delay_ms: number | null
    }

/** `failing`: the provider answers that something is wrong with itself, which may be this message. */
export type CredentialEffect =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly error: string }
  | { readonly kind: 'throttled' | 'away' | 'failing'; readonly pause_ms: number }

export type Effect = {
  readonly verdict: Verdict
  /** Undefined: the recipient is as if it had never been claimed. */
  readonly change?: Change
  /** The token is no longer good; `invalid_since` as the provider says. */
  readonly invalidation?: { readonly reason: string; readonly invalid_since?: Date }
  readonly credential?: CredentialEffect
  /**
   * The device belongs to another app than the credential. Where that is so of many and of no other, the
   * credential is the wrong one: what may be said about it then.
   */
  readonly if_foreign?: string
}

export type EffectQuestion = {
  outcome: Outcome
  /** That were made before this one. */
  attempts: number
  /** One of these ended without an answer. */
  is_unsure: boolean
  /** Of an invalid token: the app has registered another one, or this one again. */
  is_token_outdated: boolean
  /** From 0 up to, not including, 1. */
  random: number
}

/** Google asks for ten seconds at least (https://firebase.google.com/docs/cloud-messaging/scale-fcm). */
const SCHEDULE_MS = [10, 20, 40, 80, 160, 320, 640, 900, 900].map((seconds) => seconds * 1000)
/** Of answers that something is wrong; a provider that is away is waited for until `give_up_at`. */
export const ATTEMPTS_MAX = SCHEDULE_MS.length + 1
const OUTDATED_ATTEMPTS_MAX = 4
/** `Retry-After: 0` is no leave to go on at the pace that was too much. */
const THROTTLE_MIN_MS = 1000

export function effectOf(question: EffectQuestion): Effect {
  const { outcome } = question
  switch (outcome.kind) {
    case 'accepted':
      return {
        verdict: 'accepted',
        change: { status: 'accepted', provider_id: outcome.provider_id },
        credential: { kind: 'accepted' },
      }
    case 'not_sent':
      return failed(outcome.reason, false)
    case 'message_rejected':
      return failed(outcome.reason)
    case 'token_invalid':
      return ofInvalidToken(question, outcome)
    case 'credential_rejected':
      return {
        verdict: 'credential_rejected',
        credential: { kind: 'rejected', error: outcome.safe_text },
      }
    case 'throttled':
      return ofThrottle(question, outcome)
    case 'retry':
      return outcome.is_ambiguous ? ofDoubt(question, outcome) : ofTrouble(question, outcome)
  }
}

type Result<Kind extends SendResult['kind']> = Extract<SendResult, { kind: Kind }>

const failed = (reason: string, is_attempt = true): Effect => ({
  verdict: 'failed',
  change: { status: 'failed', reason, is_attempt },
})

function ofInvalidToken(question: EffectQuestion, result: Result<'token_invalid'>): Effect {
  const reason = result.is_wrong_environment ? 'wrong_environment' : result.reason
  if (!question.is_token_outdated) {
    const { invalid_since } = result
    const invalidation = { reason, ...(invalid_since !== undefined && { invalid_since }) }
    const if_foreign = FOREIGN.get(result.reason)
    return { ...failed(reason), invalidation, ...(if_foreign !== undefined && { if_foreign }) }
  }
  const isLast = question.attempts + 1 >= OUTDATED_ATTEMPTS_MAX
  return isLast ? failed(reason) : again(question, { reason })
}

const FOREIGN: ReadonlyMap<string, string> = new Map([
  [
    'SENDER_ID_MISMATCH',
    'The devices are registered with another Firebase project. Store the service account of the project that the app is built with.',
  ],
  [
    'DeviceTokenNotForTopic',
    'The devices are registered for another app than that of the bundle id. Check the bundle id.',
  ],
])

function ofThrottle(question: EffectQuestion, result: Result<'throttled'>): Effect {
  const { scope, retry_after_s } = result
  if (scope !== 'device') {
    const pause_ms = Math.max(retry_after_s * 1000, THROTTLE_MIN_MS)
    return { verdict: 'throttled', credential: { kind: 'throttled', pause_ms } }
  }
  const reason = 'device_throttled'
  if (question.attempts + 1 >= ATTEMPTS_MAX) return failed(reason)
  return { ...again(question, { reason, retry_after_s }), verdict: 'throttled' }
}

/** One more attempt may show it twice; a second doubt ends it. */
function ofDoubt(question: EffectQuestion, result: Result<'retry'>): Effect {
  const credential = strainOf(result)
  if (question.is_unsure) return { ...failed('no_answer'), ...(credential && { credential }) }
  if (result.reason === 'stopped') {
    const { reason } = result
    return {
      verdict: 'stopped',
      change: { status: 'pending', reason, is_unsure: true, delay_ms: null },
    }
  }
  return { ...again({ ...question, is_unsure: true }, result), ...(credential && { credential }) }
}

function ofTrouble(question: EffectQuestion, result: Result<'retry'>): Effect {
  const { reason } = result
  if (reason === 'stopped' || reason === 'closed') return { verdict: 'stopped' }
  if (reason === 'unsendable') return failed(reason)
  const kind = troubleOf(reason)
  const credential = strainOf(result)
  const isLast = kind === 'failing' && question.attempts + 1 >= ATTEMPTS_MAX
  const effect = isLast ? failed(reason) : again(question, result)
  return { ...effect, ...(credential && { credential }) }
}

function again(
  { attempts, is_unsure, random }: EffectQuestion,
  { reason, retry_after_s }: { reason: string; retry_after_s?: number },
): Effect {
  const made = Math.min(attempts + 1, SCHEDULE_MS.length)
  const wait = retryDelayMs({ schedule_ms: SCHEDULE_MS, attempts: made, random, retry_after_s })
  return {
    verdict: 'retried',
    change: { status: 'pending', reason, is_unsure, delay_ms: wait ?? null },
  }
}

/** What others of the same credential have to expect. */
function strainOf({ reason, retry_after_s = 0 }: Result<'retry'>): CredentialEffect | undefined {
  const kind = troubleOf(reason)
  return kind === 'passing' ? undefined : { kind, pause_ms: retry_after_s * 1000 }
}

const AWAY =
  /^(?:unreachable|timeout|UNAVAILABLE|ServiceUnavailable|Shutdown|HTTP_50[2-4]|token_.*)$/
/** About this connection or this process, not about the provider or the message. */
const PASSING = new Set(['busy', 'refused', 'broken', 'stopped', 'closed', 'IdleTimeout'])

function troubleOf(reason: string): 'away' | 'failing' | 'passing' {
  if (AWAY.test(reason)) return 'away'
  return PASSING.has(reason) ? 'passing' : 'failing'
}
