/** Derives changes of credentials from the outcomes of many attempts. Pure. */
import type { CredentialRef } from '../../credentials/credential.ts'
import type { Pause, Rejection } from '../../credentials/store.ts'
import type { Effect } from '../effects.ts'

export type CredentialChanges = {
  accepted: CredentialRef[]
  pauses: Pause[]
  rejected: Rejection[]
}

/** Fewer failures may be caused by the messages rather than by the provider. */
const FAILING_MIN = 8
/** Fewer devices of another app may be old installations. */
const FOREIGN_MIN = 8

/**
 * A provider that accepts anything is not considered unavailable, but may still throttle. A credential
 * that was ever accepted is not considered to belong to another app.
 */
export function credentialChangesOf(
  outcomes: Iterable<{ ref: CredentialRef & { is_untested?: boolean }; effect: Effect }>,
): CredentialChanges {
  const sums = new Map<string, Sum>()
  for (const { ref, effect } of outcomes) {
    const { credential, if_foreign } = effect
    if (!credential && if_foreign === undefined) continue
    const key = `${ref.application_id}:${ref.provider}:${ref.version}`
    const sum = sums.get(key) ?? { ref, ...NO_OUTCOMES }
    sums.set(key, sum)
    if (if_foreign !== undefined && ref.is_untested === true) {
      sum.foreign += 1
      sum.foreign_error = if_foreign
    }
    if (!credential) continue
    if (credential.kind === 'rejected') sum.error = credential.error
    else sum[credential.kind] += 1
    if ('pause_ms' in credential) sum.pause_ms = Math.max(sum.pause_ms, credential.pause_ms)
  }
  const changes: CredentialChanges = { accepted: [], pauses: [], rejected: [] }
  for (const sum of sums.values()) {
    const { application_id, provider, version } = sum.ref
    const ref = { application_id, provider, version }
    const { accepted, throttled, pause_ms } = sum
    const isForeign = accepted === 0 && sum.foreign >= FOREIGN_MIN
    const error = sum.error ?? (isForeign ? sum.foreign_error : undefined)
    if (accepted > 0) changes.accepted.push(ref)
    const is_outage = accepted === 0 && (sum.unavailable > 0 || sum.failing >= FAILING_MIN)
    if (is_outage || throttled > 0) changes.pauses.push({ ...ref, pause_ms, is_outage })
    if (error !== undefined) changes.rejected.push({ ...ref, error })
  }
  return changes
}

const NO_OUTCOMES = {
  accepted: 0,
  failing: 0,
  unavailable: 0,
  foreign: 0,
  throttled: 0,
  pause_ms: 0,
}

type Sum = typeof NO_OUTCOMES & { ref: CredentialRef; error?: string; foreign_error?: string }
