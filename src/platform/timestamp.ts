/** Reads dates and times in ISO 8601, for any year that a `Date` can represent. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

/** ECMA-262, "Time Values and Time Range". */
const DATE_MAX_MS = 8.64e15

/** A date with an optional time, seconds, fraction and zone. Without a zone it is UTC. */
const ISO =
  /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?$/
/** The basic format: the same without separators. A date alone would look like a Unix timestamp. */
const BASIC =
  /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)([.,]\d+)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/** @returns whole milliseconds since 1970, or undefined when the value is no time */
export function readTimestamp(value: unknown): number | undefined {
  return typeof value === 'string' ? readIsoText(value) : undefined
}

function readIsoText(text: string): number | undefined {
  const usual = readUsual(text)
  if (usual !== undefined) return usual
  if (ISO.test(text)) return withinRange(timeOf(text))
  const basic = BASIC.exec(text)
  return basic ? withinRange(timeOf(extended(basic))) : undefined
}

/**
 * Reads a valid time as `Date.toISOString` writes it, which is how most senders do: `2026-03-01T12:00:00.000Z`.
 * @returns undefined for anything else, also for a leap second
 */
function readUsual(text: string): number | undefined {
  if (text.length !== USUAL_CHARS || text.charCodeAt(10) !== LETTER_T) return undefined
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS) return undefined
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined
  if (text.charCodeAt(19) !== POINT || text.charCodeAt(23) !== LETTER_Z) return undefined
  const hour = pair(text, 11)
  const minute = pair(text, 14)
  const second = pair(text, 17)
  const ms = pair(text, 20) * 10 + (pair(text, 21) % 10)
  // Also false for NaN.
  if (!(hour <= 23 && minute <= 59 && second <= 59 && ms <= 999)) return undefined
  const dayMs = usualDayMs(text)
  return dayMs && dayMs + hour * HOUR_MS + minute * MINUTE_MS + second * 1000 + ms
}

const USUAL_CHARS = 24
/** Times that follow on each other are mostly of the same day. */
let lastDay = { date: 0, ms: 0 }

function usualDayMs(text: string): number | undefined {
  const year = pair(text, 0) * 100 + pair(text, 2)
  const month = pair(text, 5)
  const day = pair(text, 8)
  const date = year * 10_000 + month * 100 + day
  if (date === lastDay.date) return lastDay.ms
  if (!(year >= 1971 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) {
    return undefined
  }
  lastDay = { date, ms: utcMs(year, month, day) }
  return lastDay.ms
}

/** The number of two digits, or NaN. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO
  const ones = text.charCodeAt(at + 1) - ZERO
  const areDigits = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9
  return areDigits ? tens * 10 + ones : Number.NaN
}

function extended([, year, month, day, hour, minute, second, fraction, zone]: string[]): string {
  const seconds = second === undefined ? '' : `:${second}${fraction ?? ''}`
  return `${year}-${month}-${day}T${hour}:${minute}${seconds}${zone ?? ''}`
}

const withinRange = (ms: number): number | undefined =>
  // Also turns NaN into undefined.
  Math.abs(ms) <= DATE_MAX_MS ? ms : undefined

/**
 * Reads the digits at the positions that the pattern fixes. `Date.parse` would also accept
 * February 30 and other formats.
 */
function timeOf(text: string): number {
  // A year of six digits is preceded by a sign.
  const shift = isSign(text.charCodeAt(0)) ? 3 : 0
  const year = shift === 0 ? digits(text, 0, 4) : Number(text.slice(0, 7))
  const month = digits(text, 5 + shift, 2)
  const day = digits(text, 8 + shift, 2)
  const hour = digits(text, 11 + shift, 2)
  const minute = digits(text, 14 + shift, 2)
  const hasSeconds = text.charCodeAt(16 + shift) === COLON
  const second = hasSeconds ? digits(text, 17 + shift, 2) : 0
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return Number.NaN
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN
  const offset = text.length > 11 + shift ? offsetMinutes(text, 16 + shift) : 0
  const minutes = hour * 60 + minute - offset
  const minuteMs = utcMs(year, month, day) + minutes * MINUTE_MS
  if (second === 60) return isLastOfDay(minutes) ? minuteMs + LEAP_SECOND_MS : Number.NaN
  return minuteMs + second * 1000 + (hasSeconds ? fractionMs(text, 19 + shift) : 0)
}

/** A leap second is inserted at the end of a day in UTC only. It counts as the end of that day. */
const isLastOfDay = (minutes: number): boolean => (minutes + 1) % MINUTES_OF_DAY === 0
const MINUTES_OF_DAY = 1440
const LEAP_SECOND_MS = 59_999

/** The number at this position, or 0 past the end. */
function digits(text: string, at: number, count: number): number {
  if (at >= text.length) return 0
  let value = 0
  for (let index = at; index < at + count; index += 1) {
    value = value * 10 + text.charCodeAt(index) - ZERO
  }
  return value
}

/** Whole milliseconds; further digits are cut off. */
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

/** @param from position after the minutes; seconds and fraction are skipped */
function offsetMinutes(text: string, from: number): number {
  let at = from
  while (at < text.length && !isSign(text.charCodeAt(at))) at += 1
  if (at >= text.length) return 0
  const hours = digits(text, at + 1, 2)
  const minutes = digits(text, at + (text.charCodeAt(at + 3) === COLON ? 4 : 3), 2)
  if (hours > 23 || minutes > 59) return Number.NaN
  return text.charCodeAt(at) === MINUS ? -(hours * 60 + minutes) : hours * 60 + minutes
}

/**
 * `Date.UTC` reads years below 100 as years of the 20th century. The calendar repeats every 400
 * years, so the time is computed 400 years later and shifted back.
 */
const utcMs = (year: number, month: number, day: number): number =>
  year >= 0 && year < 100
    ? Date.UTC(year + 400, month - 1, day) - DAYS_IN_400_YEARS * DAY_MS
    : Date.UTC(year, month - 1, day)

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

const DAYS_IN_400_YEARS = 146_097
const ZERO = 0x30
const LETTER_T = 0x54
const LETTER_Z = 0x5a
const COLON = 0x3a
const POINT = 0x2e
const COMMA = 0x2c
const PLUS = 0x2b
const MINUS = 0x2d
const isSign = (code: number): boolean => code === PLUS || code === MINUS
