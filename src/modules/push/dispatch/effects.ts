/** Decides what an outcome means for the recipient, its subscription and the credential. Pure. */
import { retryDelayMs } from '../../../platform/dispatch/index.ts'
import type { SendResult } from '../providers/port.ts'
import type { Job, Outcome } from './job.ts'

/** Outcome as counted in metrics. `stopped`: this process shut down during the attempt. */
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
      /** Null retries immediately. */
      readonly delay_ms: number | null
    }

/**
 * `unavailable`: the provider cannot be reached. `failing`: it answers with an internal error, which may
 * also be caused by this message.
 */
export type CredentialEffect =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly error: string }
  | { readonly kind: 'throttled' | 'unavailable' | 'failing'; readonly pause_ms: number }

export type Effect = {
  readonly verdict: Verdict
  /** Change of the recipient; undefined undoes its claim. */
  readonly change?: Change
  /** Invalidates the token; `invalid_since` is as reported by the provider. */
  readonly invalidation?: { readonly reason: string; readonly invalid_since?: Date }
  readonly credential?: CredentialEffect
  /**
   * Set when the device belongs to another app than the credential. If that happens for many devices and
   * none is accepted, the credential is the wrong one, and this is the text about it.
   */
  readonly if_foreign?: string
}

export type EffectInput = Pick<Job, 'attempts' | 'is_unsure'> & {
  outcome: Outcome
  /** The app has registered another token, or the same one again, since the attempt was claimed. */
  is_token_outdated: boolean
  /** In [0, 1). */
  random: number
}

/** Google requires at least ten seconds (https://firebase.google.com/docs/cloud-messaging/scale-fcm). */
const SCHEDULE_MS = [10, 20, 40, 80, 160, 320, 640, 900, 900].map((seconds) => seconds * 1000)
/** Limit for answers with an error. An unavailable provider is retried until `give_up_at` instead. */
export const ATTEMPTS_MAX = SCHEDULE_MS.length + 1
const OUTDATED_ATTEMPTS_MAX = 4
/** Applies to `Retry-After: 0`, too: continuing at the same pace would be throttled again. */
const THROTTLE_MIN_MS = 1000

export function effectOf(input: EffectInput): Effect {
  const { outcome } = input
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
      return invalidTokenEffect(input, outcome)
    case 'credential_rejected':
      return {
        verdict: 'credential_rejected',
        credential: { kind: 'rejected', error: outcome.safe_text },
      }
    case 'throttled':
      return throttleEffect(input, outcome)
    case 'retry':
      return outcome.is_ambiguous ? ambiguousEffect(input, outcome) : failureEffect(input, outcome)
  }
}

type Result<Kind extends SendResult['kind']> = Extract<SendResult, { kind: Kind }>

const failed = (reason: string, is_attempt = true): Effect => ({
  verdict: 'failed',
  change: { status: 'failed', reason, is_attempt },
})

function invalidTokenEffect(input: EffectInput, result: Result<'token_invalid'>): Effect {
  const reason = result.is_wrong_environment ? 'wrong_environment' : result.reason
  if (!input.is_token_outdated) {
    const { invalid_since } = result
    const invalidation = { reason, ...(invalid_since !== undefined && { invalid_since }) }
    const if_foreign = FOREIGN.get(result.reason)
    return { ...failed(reason), invalidation, ...(if_foreign !== undefined && { if_foreign }) }
  }
  const isLast = input.attempts + 1 >= OUTDATED_ATTEMPTS_MAX
  return isLast ? failed(reason) : retryEffect(input, { reason })
}

const FOREIGN: ReadonlyMap<string, string> = new Map([
  [
    'SENDER_ID_MISMATCH',
    'The devices are registered with another Firebase project. Store the service account of the project that the app was built with.',
  ],
  [
    'DeviceTokenNotForTopic',
    'The devices are registered for a different app than the configured bundle id. Check the bundle id.',
  ],
])

function throttleEffect(input: EffectInput, result: Result<'throttled'>): Effect {
  const { scope, retry_after_s } = result
  if (scope !== 'device') {
    const pause_ms = Math.max(retry_after_s * 1000, THROTTLE_MIN_MS)
    return { verdict: 'throttled', credential: { kind: 'throttled', pause_ms } }
  }
  const reason = 'device_throttled'
  if (input.attempts + 1 >= ATTEMPTS_MAX) return failed(reason)
  return { ...retryEffect(input, { reason, retry_after_s }), verdict: 'throttled' }
}

/** Another attempt may show the notification twice, so it is made only once. */
function ambiguousEffect(input: EffectInput, result: Result<'retry'>): Effect {
  const credential = credentialEffectOf(result)
  if (input.is_unsure) return { ...failed('no_answer'), ...(credential && { credential }) }
  const { reason } = result
  if (reason === 'stopped') {
    const change = { status: 'pending', reason, is_unsure: true, delay_ms: null } as const
    return { verdict: 'stopped', change }
  }
  const effect = retryEffect({ ...input, is_unsure: true }, result)
  return { ...effect, ...(credential && { credential }) }
}

function failureEffect(input: EffectInput, result: Result<'retry'>): Effect {
  const { reason } = result
  if (reason === 'stopped' || reason === 'closed') return { verdict: 'stopped' }
  if (reason === 'unsendable') return failed(reason)
  const kind = failureKindOf(reason)
  const credential = credentialEffectOf(result)
  const isLast = kind === 'failing' && input.attempts + 1 >= ATTEMPTS_MAX
  const effect = isLast ? failed(reason) : retryEffect(input, result)
  return { ...effect, ...(credential && { credential }) }
}

function retryEffect(
  { attempts, is_unsure, random }: EffectInput,
  { reason, retry_after_s }: { reason: string; retry_after_s?: number },
): Effect {
  const made = Math.min(attempts + 1, SCHEDULE_MS.length)
  const wait = retryDelayMs({ schedule_ms: SCHEDULE_MS, attempts: made, random, retry_after_s })
  return {
    verdict: 'retried',
    change: { status: 'pending', reason, is_unsure, delay_ms: wait ?? null },
  }
}

/** Effect of a failed attempt on the credential; a transient failure has none. */
function credentialEffectOf(result: Result<'retry'>): CredentialEffect | undefined {
  const { reason, retry_after_s = 0 } = result
  const kind = failureKindOf(reason)
  return kind === 'transient' ? undefined : { kind, pause_ms: retry_after_s * 1000 }
}

const UNAVAILABLE =
  /^(?:unreachable|timeout|UNAVAILABLE|ServiceUnavailable|Shutdown|HTTP_50[2-4]|token_.*)$/
/** Failures of the connection or of this process, which say nothing about the provider or the message. */
const TRANSIENT = new Set(['busy', 'refused', 'broken', 'stopped', 'closed', 'IdleTimeout'])

function failureKindOf(reason: string): 'unavailable' | 'failing' | 'transient' {
  if (UNAVAILABLE.test(reason)) return 'unavailable'
  return TRANSIENT.has(reason) ? 'transient' : 'failing'
}
