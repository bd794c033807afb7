/**
 * Refuses passwords that attackers try early: common ones, with the usual replacements and additions,
 * repetitions, sequences and keyboard patterns, dates, the own e-mail and the name of the product. The
 * number of attempts is estimated by zxcvbn-ts, with its list of common passwords.
 */
import type { Match, ZxcvbnFactory } from '@zxcvbn-ts/core'

export type PasswordWeakness =
  | 'password_repetitive'
  | 'password_sequence'
  | 'password_personal'
  | 'password_common'

/**
 * Attempts that a password has to withstand. zxcvbn assumes 10^4 for each further part of a password,
 * so three trivial parts, such as a season, a year and an exclamation mark, come to 10^8.
 */
const ATTEMPTS_MIN = 1e9
/**
 * The time of an estimate grows faster than the length. A password with a good enough beginning is
 * good enough.
 */
const ESTIMATED_CHARS = 40

const PRODUCT_NAMES = ['vigil', 'console']

/** Loaded on demand, because the list takes megabytes, and most processes set no password. */
let estimator: Promise<ZxcvbnFactory> | undefined

async function loadEstimator(): Promise<ZxcvbnFactory> {
  const { createEstimator } = await import('./password-estimator.ts')
  return createEstimator()
}

export async function weaknessOf(
  password: string,
  email: string,
): Promise<PasswordWeakness | undefined> {
  if (password.trim() === '') return 'password_repetitive'
  const words = personalWords(email)
  if (isMadeOf(words, password)) return 'password_personal'
  estimator ??= loadEstimator()
  const beginning = password.slice(0, ESTIMATED_CHARS)
  const { guesses, sequence } = (await estimator).check(beginning, words)
  if (guesses >= ATTEMPTS_MIN) return undefined
  const [longest] = sequence.toSorted((a, b) => b.token.length - a.token.length)
  return longest ? weaknessIn(longest) : 'password_common'
}

function weaknessIn(match: Match): PasswordWeakness {
  if (match['dictionaryName'] === 'userInputs') return 'password_personal'
  if (match.pattern === 'repeat') return 'password_repetitive'
  return match.pattern === 'sequence' || match.pattern === 'spatial'
    ? 'password_sequence'
    : 'password_common'
}

/** The e-mail as a whole, its two parts, and the words in them. */
function personalWords(email: string): string[] {
  const words = email.split(/[^\p{L}\p{N}]+/u)
  return [email, ...email.split('@'), ...words, ...PRODUCT_NAMES]
    .filter((word) => word.length > 2)
    .map((word) => word.toLowerCase())
    .toSorted((a, b) => b.length - a.length)
}

/** Letters and digits that a password needs in addition to the words that anyone can look up. */
const OWN_CHARS_MIN = 6

function isMadeOf(words: readonly string[], password: string): boolean {
  const lower = password.toLowerCase()
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), lower)
  return rest !== lower && rest.replaceAll(/[^\p{L}\p{N}]/gu, '').length < OWN_CHARS_MIN
}
