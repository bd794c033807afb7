/**
 * What log entries cost: by monthly volume, each at the rate of the tier it falls in (OP-21;
 * specification, "Billing"). In whole units, so that nothing is ever rounded.
 */
import { UNITS_PER_CREDIT } from '../../../billing/index.ts'

/** Credits per 1,000 logs, for those up to a number of the month. */
const TIERS = [
  { up_to: 10_000, credits_per_1000: 1 },
  { up_to: 100_000, credits_per_1000: 0.8 },
  { up_to: 1_000_000, credits_per_1000: 0.5 },
  { up_to: Number.POSITIVE_INFINITY, credits_per_1000: 0.3 },
] as const

/** @returns units of the logs of a month that are numbered (before, after] */
export function priceOfLogs(before: number, after: number): number {
  let units = 0
  let from = 0
  for (const { up_to, credits_per_1000 } of TIERS) {
    const count = Math.min(after, up_to) - Math.max(before, from)
    // Whole for every tier: 10, 8, 5 and 3.
    const unitsPerLog = Math.round((credits_per_1000 * UNITS_PER_CREDIT) / 1000)
    if (count > 0) units += count * unitsPerLog
    from = up_to
  }
  return units
}
