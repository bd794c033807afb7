/**
 * Prices of orders, log entries and RUM events (specification, "Billing"; OP-17, OP-21), in whole
 * units of 1/10,000 credit, so that nothing is ever rounded.
 */
import { UNITS_PER_CREDIT } from './units.ts'

/** Live orders only; cashier actions and profiles are free. */
export const ORDER_CREDITS = 1

/** Credits per 1,000 log entries of a month, up to a number of entries. */
const LOG_TIERS = [
  { up_to: 10_000, credits_per_1000: 1 },
  { up_to: 100_000, credits_per_1000: 0.8 },
  { up_to: 1_000_000, credits_per_1000: 0.5 },
  { up_to: Number.POSITIVE_INFINITY, credits_per_1000: 0.3 },
] as const

const PRICED_TOGETHER = 1000

/**
 * Each entry costs the rate of the tier it falls in, because pricing the whole volume at the last
 * tier would lower the bill at a boundary.
 * @returns units for the log entries numbered (before, after] of a month
 */
export function priceOfLogs(before: number, after: number): number {
  let units = 0
  let from = 0
  for (const { up_to, credits_per_1000 } of LOG_TIERS) {
    const count = Math.min(after, up_to) - Math.max(before, from)
    // The result is a whole number for every tier: 10, 8, 5 and 3.
    const unitsPerLog = Math.round((credits_per_1000 * UNITS_PER_CREDIT) / PRICED_TOGETHER)
    if (count > 0) units += count * unitsPerLog
    from = up_to
  }
  return units
}

/**
 * @param creditsPer1000 a whole number, so that one event costs a whole number of units
 * @returns a function that returns the units for the RUM events numbered (before, after] of a month
 */
export function priceOfRumEvents(
  creditsPer1000: number,
): (before: number, after: number) => number {
  const unitsPerEvent = (creditsPer1000 * UNITS_PER_CREDIT) / PRICED_TOGETHER
  return (before, after) => (after - before) * unitsPerEvent
}
