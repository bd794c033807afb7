/**
 * Self-describing secrets: a prefix, random base62 characters and a checksum. Malformed tokens are
 * rejected without a query, and scanners find leaked ones with few false alarms. The format follows
 * https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
 */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 bits; far beyond guessing. */
const RANDOM_CHARS = 32
/** 62^6 is the first power of 62 that holds every CRC32. */
const CHECKSUM_CHARS = 6
const TAIL = new RegExp(`^[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`)

/** @returns prefix + 32 random base62 characters + 6 characters of checksum over both */
export function newToken(prefix: string): string {
  const text = prefix + randomBase62(RANDOM_CHARS)
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
  // Bytes from 248 upwards would make the first letters of the alphabet more likely.
  const unbiasedBelow = 256 - (256 % ALPHABET.length)
  let text = ''
  while (text.length < chars) {
    for (const byte of randomBytes(chars)) {
      if (byte < unbiasedBelow && text.length < chars)
        text += ALPHABET.charAt(byte % ALPHABET.length)
    }
  }
  return text
}

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
