/** What a number of outcomes says about the credentials they were sent with. Pure. */
import type { CredentialRef } from '../../credentials/credential.ts'
import type { Pause, Rejection } from '../../credentials/store.ts'
import type { Effect } from '../effects.ts'

export type CredentialNews = {
  accepted: CredentialRef[]
  pauses: Pause[]
  rejected: Rejection[]
}

/** Fewer answers that something is wrong may be about the messages. */
const FAILING_MIN = 8
/** Fewer may be some old devices. */
const FOREIGN_MIN = 8

/**
 * While anything is accepted the provider is not away; it may want fewer requests all the same. A key with
 * which something was accepted once is not that of another app, whatever devices come up.
 */
export function newsOf(
  told: Iterable<{ ref: CredentialRef & { is_untested?: boolean }; effect: Effect }>,
): CredentialNews {
  const sums = new Map<string, Sum>()
  for (const { ref, effect } of told) {
    const { credential, if_foreign } = effect
    if (!credential && if_foreign === undefined) continue
    const key = `${ref.application_id}:${ref.provider}:${ref.version}`
    const sum = sums.get(key) ?? { ref, ...NOTHING }
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
  const news: CredentialNews = { accepted: [], pauses: [], rejected: [] }
  for (const sum of sums.values()) {
    const { application_id, provider, version } = sum.ref
    const ref = { application_id, provider, version }
    const { accepted, throttled, pause_ms } = sum
    const isForeign = accepted === 0 && sum.foreign >= FOREIGN_MIN
    const error = sum.error ?? (isForeign ? sum.foreign_error : undefined)
    if (accepted > 0) news.accepted.push(ref)
    const is_outage = accepted === 0 && (sum.away > 0 || sum.failing >= FAILING_MIN)
    if (is_outage || throttled > 0) news.pauses.push({ ...ref, pause_ms, is_outage })
    if (error !== undefined) news.rejected.push({ ...ref, error })
  }
  return news
}

type Sum = {
  ref: CredentialRef
  accepted: number
  failing: number
  away: number
  foreign: number
  throttled: number
  pause_ms: number
  error?: string
  foreign_error?: string
}

const NOTHING = { accepted: 0, failing: 0, away: 0, foreign: 0, throttled: 0, pause_ms: 0 }
