/** Times as they are sent: RFC 3339, which is ISO 8601 with a date, a time and a time zone. */
import { invalidRequest } from './http/errors.ts'

/** Years have four digits: what its time zone carries out of them could not be told in an answer. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * @param text of a field that was validated as `date-time`
 * @throws AppError naming the field, for what has the form but is no time, such as a leap second
 */
export function readTime(text: string, field: string): Date {
  const time = new Date(text.replace(' ', 'T'))
  const isTime = time.getTime() >= FIRST_MS && time.getTime() <= LAST_MS
  if (!isTime) throw invalidRequest(field, `${field} is not a time`)
  return time
}
