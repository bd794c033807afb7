/**
 * Which logs a reading speaks of: without dates those that were received in the last days, whatever
 * the clocks of the devices said; with dates those that happened between them.
 */
import { type DateFault, type Dates, timesOf } from '../../../../platform/told-dates.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** All bounds belong to it; those that are undefined do not bound it. */
export type Window = {
  /** Day of receipt in UTC, as `2026-03-01`. */
  received_since?: string | undefined
  from_ms?: number | undefined
  until_ms?: number | undefined
}

/** @param windowDays days before today, or before `end_date`, when no start is named */
export function windowOf(dates: Dates, now: Date, windowDays: number): Window | DateFault {
  const times = timesOf(dates)
  if ('field' in times) return times
  const { start_ms, end_ms } = times
  if (start_ms === undefined && end_ms === undefined) {
    const firstDay = new Date(now.getTime() - windowDays * DAY_MS)
    return { received_since: firstDay.toISOString().slice(0, 10) }
  }
  if (end_ms === undefined) return { from_ms: start_ms }
  return { from_ms: start_ms ?? end_ms - windowDays * DAY_MS, until_ms: end_ms }
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
