/**
 * Date ranges of queries: two ISO 8601 dates or times, both included. A date as the end covers its
 * whole day; without a zone a time is UTC.
 */
import { DAY_MS } from './time-units.ts'
import { readTimestamp } from './timestamp.ts'

export type Dates = { start_date?: string | undefined; end_date?: string | undefined }

/** The date at fault, and the predicate about it. */
export type DateFault = { field: 'start_date' | 'end_date'; problem: string }

const DATE_WANTED = 'an ISO 8601 date or time, such as 2026-03-01 or 2026-03-01T12:00:00Z'

export type Times = { start_ms: number | undefined; end_ms: number | undefined }

export function timesOf({ start_date, end_date }: Dates): Times | DateFault {
  const problem = `must be ${DATE_WANTED}`
  const start_ms = start_date === undefined ? undefined : timeOf(start_date, 0)
  if (start_date !== undefined && start_ms === undefined) return { field: 'start_date', problem }
  const end_ms = end_date === undefined ? undefined : timeOf(end_date, DAY_MS - 1)
  if (end_date !== undefined && end_ms === undefined) return { field: 'end_date', problem }
  if (start_ms !== undefined && end_ms !== undefined && start_ms > end_ms) {
    return { field: 'end_date', problem: 'must not be before start_date' }
  }
  return { start_ms, end_ms }
}

/** The time window of a query. Bounds are inclusive; an undefined one does not apply. */
export type Window = {
  /** First day of receipt in UTC, such as `2026-03-01`. */
  received_since?: string | undefined
  from_ms?: number | undefined
  until_ms?: number | undefined
}

/**
 * Without times, the window covers rows received in the last days, independent of the senders'
 * clocks. With times, it covers rows whose own timestamp lies between them.
 * @param windowDays length in days when no start is specified, before today or before the end
 */
export function windowBetween({ start_ms, end_ms }: Times, now: Date, windowDays: number): Window {
  if (start_ms === undefined && end_ms === undefined) {
    const firstDay = new Date(now.getTime() - windowDays * DAY_MS)
    return { received_since: firstDay.toISOString().slice(0, 10) }
  }
  if (end_ms === undefined) return { from_ms: start_ms }
  return { from_ms: start_ms ?? end_ms - windowDays * DAY_MS, until_ms: end_ms }
}

const DATE_ONLY = /^\d{4}-\d\d-\d\d$/
/** An unescaped `+` in a URL arrives as a space. */
const LOST_PLUS = /(T.*\d) (?=\d\d(?::?\d\d)?$)/i

/** @param dayOffsetMs added to a date without a time */
function timeOf(text: string, dayOffsetMs: number): number | undefined {
  const time = readTimestamp(text.replace(LOST_PLUS, '$1+'))
  if (time === undefined) return undefined
  return DATE_ONLY.test(text) ? time + dayOffsetMs : time
}
