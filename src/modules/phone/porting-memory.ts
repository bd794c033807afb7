/**
 * Portability by own memory: the carrier of record changed between two look-ups. When it happened
 * is known only as well as the look-ups are close together; otherwise the date stays null.
 */
import type { PortingFact } from './providers/provider.ts'

/** Two look-ups closer than this tell the day of the change. */
const DATED_WITHIN_MS = 86_400_000

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
