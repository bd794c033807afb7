/**
 * Which logs a reading speaks of: without dates those that were received in the last days, whatever
 * the clocks of the devices said; with dates those that happened between them.
 */
import { readTimestamp } from '../../../../platform/told-time.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** All bounds belong to it; those that are undefined do not bound it. */
export type Window = {
  /** Day of receipt in UTC, as `2026-03-01`. */
  received_since?: string | undefined
  from_ms?: number | undefined
  until_ms?: number | undefined
}

export type Dates = { start_date?: string | undefined; end_date?: string | undefined }

/** What is wrong with dates, and with which. */
export type DateFault = { field: 'start_date' | 'end_date'; problem: string }

type Times = { start_ms: number | undefined; end_ms: number | undefined }

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
  return dates.end_date === undefined ? undefined : timeOf(dates.end_date, DAY_MS - 1)
}

function timesOf({ start_date, end_date }: Dates): Times | DateFault {
  const problem = 'must be an ISO 8601 date or time'
  const start_ms = start_date === undefined ? undefined : timeOf(start_date, 0)
  if (start_date !== undefined && start_ms === undefined) return { field: 'start_date', problem }
  const end_ms = end_date === undefined ? undefined : timeOf(end_date, DAY_MS - 1)
  if (end_date !== undefined && end_ms === undefined) return { field: 'end_date', problem }
  if (start_ms !== undefined && end_ms !== undefined && start_ms > end_ms) {
    return { field: 'end_date', problem: 'must not be before start_date' }
  }
  return { start_ms, end_ms }
}

const DATE_ONLY = /^\d{4}-\d\d-\d\d$/
/** A `+` that was not escaped in a URL arrives as a space. */
const LOST_PLUS = /(T.*\d) (?=\d\d(?::?\d\d)?$)/i

/** @param dayOffsetMs added to a date without a time */
function timeOf(text: string, dayOffsetMs: number): number | undefined {
  const time = readTimestamp(text.replace(LOST_PLUS, '$1+'))
  if (time === undefined) return undefined
  return DATE_ONLY.test(text) ? time + dayOffsetMs : time
}
