/**
 * The time that a device or a browser tells: ISO 8601, or seconds or milliseconds since 1970. Their
 * clocks are often wrong; what can be told by a `Date` is kept as it was told.
 */

/** As seconds it is the year 5138, as milliseconds 1973: what is smaller is taken for seconds. */
const MILLISECONDS_FROM = 1e11
/** ECMA-262, "Time Values and Time Range". */
const DATE_MAX_MS = 8.64e15

/** Date; perhaps time, seconds, fraction and zone. Without a zone it is UTC. */
const ISO =
  /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

/** @returns milliseconds since 1970, a whole number; undefined when it is no time */
export function readTimestamp(told: unknown): number | undefined {
  if (typeof told === 'string') return ISO.test(told) ? withinRange(timeOf(told)) : undefined
  if (typeof told !== 'number') return undefined
  return withinRange(Math.round(Math.abs(told) < MILLISECONDS_FROM ? told * 1000 : told))
}

const withinRange = (ms: number): number | undefined =>
  // Also turns -0 into 0, and NaN into undefined.
  Math.abs(ms) <= DATE_MAX_MS ? ms + 0 : undefined

/** By places, which the form has fixed: `Date.parse` takes 30 February, and other forms besides. */
function timeOf(text: string): number {
  // A year of six digits has a sign before it.
  const shift = isSign(text.charCodeAt(0)) ? 3 : 0
  const year = shift === 0 ? digits(text, 0, 4) : Number(text.slice(0, 7))
  const month = digits(text, 5 + shift, 2)
  const day = digits(text, 8 + shift, 2)
  const hour = digits(text, 11 + shift, 2)
  const minute = digits(text, 14 + shift, 2)
  const hasSeconds = text.charCodeAt(16 + shift) === COLON
  const second = hasSeconds ? digits(text, 17 + shift, 2) : 0
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return Number.NaN
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  const offset = text.length > 11 + shift ? offsetMinutes(text, 16 + shift) : 0
  return (
    utcMs(year, month, day) +
    ((hour * 60 + minute - offset) * 60 + second) * 1000 +
    (hasSeconds ? fractionMs(text, 19 + shift) : 0)
  )
}

/** The number at this place; 0 behind the end. */
function digits(text: string, at: number, count: number): number {
  if (at >= text.length) return 0
  let value = 0
  for (let index = at; index < at + count; index += 1) {
    value = value * 10 + text.charCodeAt(index) - ZERO
  }
  return value
}

/** Whole milliseconds; what is finer is cut. */
function fractionMs(text: string, at: number): number {
  const mark = text.charCodeAt(at)
  if (mark !== POINT && mark !== COMMA) return 0
  let ms = 0
  for (let place = 1, unit = 100; place <= 3; place += 1, unit /= 10) {
    const digit = text.charCodeAt(at + place) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    ms += digit * unit
  }
  return ms
}

/** @param from behind the minutes; seconds and fraction are passed over */
function offsetMinutes(text: string, from: number): number {
  let at = from
  while (at < text.length && !isSign(text.charCodeAt(at))) at += 1
  if (at >= text.length) return 0
  const hours = digits(text, at + 1, 2)
  const minutes = digits(text, at + (text.charCodeAt(at + 3) === COLON ? 4 : 3), 2)
  if (hours > 23 || minutes > 59) return Number.NaN
  return text.charCodeAt(at) === MINUS ? -(hours * 60 + minutes) : hours * 60 + minutes
}

/** `Date.UTC` takes years below 100 for those of the 20th century; 400 years are always as long. */
const utcMs = (year: number, month: number, day: number): number =>
  year >= 0 && year < 100
    ? Date.UTC(year + 400, month - 1, day) - DAYS_IN_400_YEARS * DAY_MS
    : Date.UTC(year, month - 1, day)

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

const DAY_MS = 86_400_000
const DAYS_IN_400_YEARS = 146_097
const ZERO = 0x30
const COLON = 0x3a
const POINT = 0x2e
const COMMA = 0x2c
const PLUS = 0x2b
const MINUS = 0x2d
const isSign = (code: number): boolean => code === PLUS || code === MINUS
