/**
 * The two dates between which something is asked for: ISO 8601, as a date or with a time, both
 * included. A date as the end means its whole day; without a zone it is UTC.
 */
import { readTimestamp } from './told-time.ts'

export type Dates = { start_date?: string | undefined; end_date?: string | undefined }

/** What is wrong with dates, and with which. */
export type DateFault = { field: 'start_date' | 'end_date'; problem: string }

export type Times = { start_ms: number | undefined; end_ms: number | undefined }

const DAY_MS = 86_400_000

export function timesOf({ start_date, end_date }: Dates): Times | DateFault {
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

/** What a reading speaks of. All bounds belong to it; those that are undefined do not bound it. */
export type Window = {
  /** Day of receipt in UTC, as `2026-03-01`. */
  received_since?: string | undefined
  from_ms?: number | undefined
  until_ms?: number | undefined
}

/**
 * Without times: what was received in the last days, whatever the clocks of the senders say. With
 * times: what happened between them, by these clocks.
 *
 * @param windowDays days before today, or before the end, when no start is named
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
/** A `+` that was not escaped in a URL arrives as a space. */
const LOST_PLUS = /(T.*\d) (?=\d\d(?::?\d\d)?$)/i

/** @param dayOffsetMs added to a date without a time */
function timeOf(text: string, dayOffsetMs: number): number | undefined {
  const time = readTimestamp(text.replace(LOST_PLUS, '$1+'))
  if (time === undefined) return undefined
  return DATE_ONLY.test(text) ? time + dayOffsetMs : time
}
