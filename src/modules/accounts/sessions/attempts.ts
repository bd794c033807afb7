/**
 * Counts attempts to sign in by e-mail (OP-136). Many networks together must not guess the password of
 * one account, and must not keep its user out either: attempts for an e-mail are never refused as such.
 * The more there are, the longer each network has to wait between its own.
 */
import type { KeyedHash } from '../../../platform/crypto/keyed-hash.ts'
import { networkOf } from '../../../platform/http/client-ip.ts'
import { tooManyRequests } from '../../../platform/http/errors.ts'

/**
 * Limits in addition to the one per network. `pair` is an e-mail in one network. Those of an e-mail
 * refuse no attempt: when they are exceeded, pairs have to wait longer.
 */
export type SignInLimit =
  | 'sign_in_email_busy'
  | 'sign_in_email_attacked'
  | 'sign_in_pair'
  | 'sign_in_pair_busy'
  | 'sign_in_pair_attacked'

/** The part of a request that is counted. */
type Attempt = {
  ip: string
  countSignIn(limit: SignInLimit, key: string): Promise<number | undefined>
}

export type SignInAttempts = {
  /** @throws AppError 429 */
  count(request: Attempt, email: string): Promise<void>
}

/**
 * Hexadecimal digits of a counter's name: 65,536 counters of each kind, so that invented e-mails cannot
 * fill the memory. The names are keyed, so that no one can aim at the counter of another e-mail.
 */
const NAME_DIGITS = 4

export function createSignInAttempts(hash: KeyedHash): SignInAttempts {
  const nameOf = (...parts: string[]) => hash(...parts).slice(0, NAME_DIGITS)
  return {
    count: async (request, email) => {
      const address = normalizeEmail(email)
      const account = nameOf('email', address)
      const isBusy = await request.countSignIn('sign_in_email_busy', account)
      const isAttacked = await request.countSignIn('sign_in_email_attacked', account)
      const limit =
        isAttacked !== undefined
          ? 'sign_in_pair_attacked'
          : isBusy !== undefined
            ? 'sign_in_pair_busy'
            : 'sign_in_pair'
      const pair = nameOf('pair', address, networkOf(request.ip))
      const retryAfter = await request.countSignIn(limit, pair)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
    },
  }
}

/**
 * Coarser than `lower()`, by which the database looks up e-mails: all spellings that find the same
 * account count as one, however the locale of the database treats `İ`, `ς` or `ß`.
 */
const normalizeEmail = (email: string): string =>
  email.trim().normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()
