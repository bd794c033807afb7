/**
 * Detects porting by comparing look-ups: the carrier of record changed between two of them. The date
 * of the change is known only if they are close together; otherwise it is null.
 */
import { DAY_MS } from '../../platform/time-units.ts'
import type { PortingFact } from './providers/provider.ts'

/** Look-ups that are at most this far apart determine the day of the change. */
const DATED_WITHIN_MS = DAY_MS

export function mergePorting(
  previous: { value: PortingFact; fetched_at: Date } | undefined,
  next: PortingFact,
  now: Date,
): PortingFact {
  if (!previous) return next
  const before = previous.value
  const hasMoved =
    before.carrier_code !== null &&
    next.carrier_code !== null &&
    before.carrier_code !== next.carrier_code
  if (!hasMoved) {
    return {
      ...next,
      ported: next.ported || before.ported,
      ported_date: next.ported_date ?? before.ported_date,
    }
  }
  const isDated = now.getTime() - previous.fetched_at.getTime() <= DATED_WITHIN_MS
  return {
    ...next,
    ported: true,
    ported_date: next.ported_date ?? (isDated ? now.toISOString() : null),
  }
}
