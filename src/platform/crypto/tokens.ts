/**
 * Self-describing secrets: a prefix, random base62 characters and a checksum. Malformed tokens are
 * rejected without a query, and scanners find leaked ones with few false alarms. The format follows
 * https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 bits; far beyond guessing. */
const RANDOM_CHARS = 32
/** 62^6 is the first power of 62 that holds every CRC32. */
const CHECKSUM_CHARS = 6
const TAIL = new RegExp(`^[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`)

/** @returns prefix + random base62 characters + 6 characters of checksum over both */
export function newToken(prefix: string, random_chars = RANDOM_CHARS): string {
  const text = prefix + randomBase62(random_chars)
  return text + checksum(text)
}

/** The token that belongs to a name, the same each time. It cannot be found without the key. */
export function derivedToken(prefix: string, key: Buffer, name: string): string {
  const bytes = createHmac('sha512', key).update(`${prefix}${name}`).digest()
  const text = prefix + base62Of(bytes).slice(0, RANDOM_CHARS)
  return text + checksum(text)
}

/** Whether the text has the format and checksum of a token; not whether the token exists. */
export function isToken(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix) || !TAIL.test(text.slice(prefix.length))) return false
  return checksum(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS)
}

/** Tokens have 190 random bits, so a plain hash cannot be reversed, and tokens can be looked up by it. */
export const hashToken = (text: string): Buffer => hash('sha256', text, 'buffer')

/** All characters are equally likely. */
export function randomBase62(chars: number): string {
  let text = ''
  while (text.length < chars) text += base62Of(randomBytes(chars))
  return text.slice(0, chars)
}

/** Bytes from 248 upwards are left out: they would make the first letters of the alphabet more likely. */
const base62Of = (bytes: Buffer): string =>
  [...bytes]
    .filter((byte) => byte < 256 - (256 % ALPHABET.length))
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')

/** CRC32 in six base62 characters. */
export function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_CHARS) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
