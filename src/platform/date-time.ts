/**
 * Times in requests: RFC 3339, and the forms of ISO 8601 that clients send in its place. A time
 * without a zone is UTC, and a date alone is no time (OP-139).
 */
import { invalidRequest } from './http/errors.ts'
import { readTimestamp } from './timestamp.ts'

/** Completes "must be …". */
export const TIME_WANTED = 'a time in RFC 3339, such as 2026-03-01T12:00:00Z'

/** Years have four digits: a time whose zone moves it out of them could not be formatted again. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
const HAS_TIME_OF_DAY = /[Tt ]/

/** The format `date-time` of schemas. */
export const isTime = (text: string): boolean => timeOf(text) !== undefined

/** @throws AppError 400 naming the field */
export function readTime(text: string, field: string): Date {
  const time = timeOf(text)
  if (time === undefined) throw invalidRequest(field, `${field} must be ${TIME_WANTED}`)
  return new Date(time)
}

function timeOf(text: string): number | undefined {
  const time = HAS_TIME_OF_DAY.test(text) ? readTimestamp(text) : undefined
  return time !== undefined && time >= FIRST_MS && time <= LAST_MS ? time : undefined
}
