/**
 * Which logs a reading speaks of: without dates those that were received in the last days, whatever
 * the clocks of the devices said; with dates those that happened between them.
 */
import {
  type DateFault,
  type Dates,
  timesOf,
  type Window,
  windowBetween,
} from '../../../../platform/told-dates.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** @param windowDays days before today, or before `end_date`, when no start is named */
export function windowOf(dates: Dates, now: Date, windowDays: number): Window | DateFault {
  const times = timesOf(dates)
  if ('field' in times) return times
  return windowBetween(times, now, windowDays)
}

/** With both ends, for what is drawn over time. @param spanMs before the end, without a start */
export function spanOf(
  dates: Dates,
  now: Date,
  spanMs: number,
): { from_ms: number; until_ms: number } | DateFault {
  const times = timesOf(dates)
  if ('field' in times) return times
  const until_ms = times.end_ms ?? now.getTime()
  const from_ms = times.start_ms ?? until_ms - spanMs
  if (from_ms > until_ms) return { field: 'start_date', problem: 'must not be in the future' }
  return { from_ms, until_ms }
}

/** The last moment that an overview speaks of, or undefined when it is now. */
export function endOf(dates: Dates): number | undefined {
  const times = timesOf(dates)
  return 'field' in times ? undefined : times.end_ms
}
