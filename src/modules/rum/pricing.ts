/** What RUM events cost (OP-17): a setting, the same for each event of the month. */
import { UNITS_PER_CREDIT } from '../billing/index.ts'

/** Both may change only so that one event costs a whole number of units. */
const EVENTS_PER_PRICE = 1000

/**
 * @param creditsPer1000 a whole number
 * @returns units (1/10,000 credit) of the events numbered (before, after] of a month
 */
export function priceEvents(creditsPer1000: number): (before: number, after: number) => number {
  const unitsPerEvent = (creditsPer1000 * UNITS_PER_CREDIT) / EVENTS_PER_PRICE
  return (before, after) => (after - before) * unitsPerEvent
}
