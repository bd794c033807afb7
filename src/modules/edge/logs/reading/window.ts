/**
 * The period of a reading (OP-65). Without dates, the logs that were received in the last days,
 * regardless of their timestamps; with dates, the logs that happened between them.
 */
import {
  type DateFault,
  type Dates,
  timesOf,
  type Window,
  windowBetween,
} from '../../../../platform/date-range.ts'

export type Span = { from_ms: number; until_ms: number }

/** @param windowDays days before today, or before `end_date`, if there is no start */
export function windowOf(dates: Dates, now: Date, windowDays: number): Window | DateFault {
  const times = timesOf(dates)
  if ('field' in times) return times
  return windowBetween(times, now, windowDays)
}

/** Returns a period with both ends, for charts. @param spanMs its length if there is no start */
export function spanOf(dates: Dates, now: Date, spanMs: number): Span | DateFault {
  const times = timesOf(dates)
  if ('field' in times) return times
  const until_ms = times.end_ms ?? now.getTime()
  const from_ms = times.start_ms ?? until_ms - spanMs
  if (from_ms > until_ms) return { field: 'start_date', problem: 'must not be in the future' }
  return { from_ms, until_ms }
}

/** The last moment of an overview; undefined if it ends now. */
export function endOf(dates: Dates): number | undefined {
  const times = timesOf(dates)
  return 'field' in times ? undefined : times.end_ms
}
