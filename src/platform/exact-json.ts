/**
 * JSON with all digits of its numbers. `JSON.parse` rounds integers beyond 2^53 and long decimals, turns
 * 1e400 into infinity and loses the sign of -0. Here such a number is parsed into a marked text, which
 * becomes the same number again when the value has been written as JSON. (`JSON.rawJSON` and the source
 * text for revivers need Node.js 21; parsers in JavaScript are many times slower than this.)
 */
import { randomUUID } from 'node:crypto'

/** Unknown to senders, so that none of their texts is taken for a number. */
const MARK = `number ${randomUUID()} `
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

/** In valid JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
/** Finds every number that can change, and a few harmless texts. */
const SUSPECT = /(?:^|[:,[])\s*(?:-0|-?[\d.]{16}|-?[\d.]+[eE])/
/** A double holds every decimal of 15 digits. */
const DIGITS_MIN = 16

/** @throws SyntaxError if the text is not JSON */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return SUSPECT.test(text) ? JSON.parse(text.replace(TEXT_OR_NUMBER, marked)) : value
}

/** @param json a value of `parseExact` as JSON, or JSON that contains such values */
export const withNumbers = (json: string): string =>
  json.includes(MARK) ? json.replace(MARKED, '$1') : json

export const stringifyExact = (value: unknown): string => withNumbers(JSON.stringify(value))

/** @param digits a decimal integer @returns the number, or a value that `stringifyExact` writes as it */
export function exactNumber(digits: string): number | string {
  const number = Number(digits)
  return String(number) === digits ? number : `${MARK}${digits}`
}

function marked(token: string): string {
  if (token.startsWith('"')) return token
  const number = Number(token)
  const isLong = token.length >= DIGITS_MIN && String(number) !== token
  return isLong || losesNumber(number) ? `"${MARK}${token}"` : token
}

/** Whether `JSON.stringify` would change a number in a parsed value, apart from digits already lost. */
export function losesNumber(value: unknown): boolean {
  if (typeof value === 'number') return Object.is(value, -0) || !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (losesNumber((value as Record<string, unknown>)[key])) return true
  return false
}

/**
 * Whether JSON contains a number that is long enough to lose digits, or a text that looks like one. It reads one byte of sixteen, because it runs for every batch.
 */
export function hasLongNumber(json: Buffer): boolean {
  for (let at = DIGITS_MIN - 1; at < json.length; at += DIGITS_MIN) {
    if (!isOfNumber(json[at])) continue
    let first = at
    while (first > 0 && isOfNumber(json[first - 1])) first -= 1
    let next = at + 1
    while (next < json.length && isOfNumber(json[next])) next += 1
    if (next - first >= DIGITS_MIN && (first === 0 || BEFORE_NUMBER.has(json[first - 1])))
      return true
  }
  return false
}

const BEFORE_NUMBER: ReadonlySet<number | undefined> = new Set(Buffer.from(':,[- \t\r\n'))
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const isOfNumber = (byte: number | undefined): boolean =>
  byte === POINT || (byte !== undefined && byte >= ZERO && byte <= NINE)
