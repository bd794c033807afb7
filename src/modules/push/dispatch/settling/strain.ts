/** What a number of outcomes says about the credentials they were sent with. Pure. */
import type { CredentialRef } from '../../credentials/credential.ts'
import type { Pause, Rejection } from '../../credentials/store.ts'
import type { CredentialEffect } from '../effects.ts'

export type CredentialNews = {
  accepted: CredentialRef[]
  pauses: Pause[]
  rejected: Rejection[]
}

/** Fewer answers that something is wrong may be about the messages. */
const FAILING_MIN = 8

/** While anything is accepted the provider is not away; it may want fewer requests all the same. */
export function newsOf(
  told: Iterable<{ ref: CredentialRef; effect: CredentialEffect | undefined }>,
): CredentialNews {
  const sums = new Map<CredentialRef, Sum>()
  for (const { ref, effect } of told) {
    if (!effect) continue
    const sum = sums.get(ref) ?? { accepted: 0, failing: 0, away: 0, throttled: 0, pause_ms: 0 }
    sums.set(ref, sum)
    if (effect.kind === 'rejected') sum.error = effect.error
    else sum[effect.kind] += 1
    if ('pause_ms' in effect) sum.pause_ms = Math.max(sum.pause_ms, effect.pause_ms)
  }
  const news: CredentialNews = { accepted: [], pauses: [], rejected: [] }
  for (const [{ application_id, provider, version }, sum] of sums) {
    const ref = { application_id, provider, version }
    const { error, accepted, throttled, pause_ms } = sum
    if (accepted > 0) news.accepted.push(ref)
    const is_outage = accepted === 0 && (sum.away > 0 || sum.failing >= FAILING_MIN)
    if (is_outage || throttled > 0) news.pauses.push({ ...ref, pause_ms, is_outage })
    if (error !== undefined) news.rejected.push({ ...ref, error })
  }
  return news
}

type Sum = {
  accepted: number
  failing: number
  away: number
  throttled: number
  pause_ms: number
  error?: string
}
