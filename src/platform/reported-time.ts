/**
 * Reads times that devices and browsers report: ISO 8601, or Unix time as a number or as a text. Their
 * clocks are often wrong, so any time of the years 0 to 9999 is accepted; other years could not be
 * written as RFC 3339 again.
 */
import { readTimestamp } from './timestamp.ts'

/** For descriptions of such a field. */
export const REPORTED_TIME_HELP =
  'ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size'

/** Forms of such a field for the API document. It leaves out variants of the ISO forms (OP-139). */
export const REPORTED_TIME_FORMS = [
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
  { type: 'string', pattern: String.raw`^[0-9]{9,19}(\.[0-9]+)?$`, description: 'Unix time' },
] as const

/** The Unix times that {@link readReportedTime} accepts, from a first year on. */
export const unixTimes = (firstYear: string) => ({
  type: 'number' as const,
  minimum: Date.parse(`${firstYear}-01-01T00:00:00Z`) / 1000,
  exclusiveMaximum: UNIX_END,
})

/** The end of the largest unit. */
const UNIX_END = 1e20
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Fewer digits could also be a year, or a date in the basic format of ISO 8601. */
const UNIX_TEXT = /^-?\d{9,}(?:\.\d+)?$/

/** The year of a date ends with a hyphen, where Unix time has a digit. */
const isUnixText = (text: string): boolean => text[4] !== '-' && UNIX_TEXT.test(text)

/** @returns whole milliseconds since 1970, or undefined when the value is no time */
export function readReportedTime(value: unknown): number | undefined {
  const isUnix = typeof value === 'number' || (typeof value === 'string' && isUnixText(value))
  const ms = isUnix ? unixMs(Number(value)) : readTimestamp(value)
  return ms !== undefined && ms >= FIRST_MS && ms <= LAST_MS ? ms : undefined
}

/**
 * A million seconds are a billion milliseconds, so the same digits mean years that are far apart: as
 * seconds, 100,000,000,000 is the year 5138, and each smaller unit ends in that year too.
 */
function unixMs(time: number): number {
  const size = Math.abs(time)
  // Adding 0 turns -0 into 0.
  if (size < 1e11) return Math.round(time * 1e3) + 0
  if (size < 1e14) return Math.round(time) + 0
  if (size < 1e17) return Math.round(time / 1e3) + 0
  return size < UNIX_END ? Math.round(time / 1e6) + 0 : Number.NaN
}
