/**
 * Hashes passwords with argon2id. A hash takes 19 MiB and a thread for about 30 ms, so the numbers of
 * running and waiting hashes are limited: a flood of sign-ins must not exhaust the service's memory.
 */
import { createArgon2 } from './argon2.ts'
import type { PasswordEngine } from './password-engine.ts'

export type Passwords = {
  /** @returns a PHC string */
  hash(password: string): Promise<string>
  /** Does the same work without a hash, so that the response time does not reveal who exists. */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /**
   * Finds the hash of a password among those of the accounts with one e-mail. Always does the same
   * work, so that the response time reveals neither the accounts nor their number.
   * @param hashes at most `SAME_EMAIL_MAX`
   * @returns the index of the first match, or -1
   */
  find(password: string, hashes: readonly string[]): Promise<number>
}

/** Too many sign-ins are waiting; the caller should try again later. */
export class PasswordsBusyError extends Error {}

/** A hash that matches no password, with the usual parameters and a random salt and digest. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$V3mCL0nKq8ZyxR1bTgoP5w$0tS7bYk2QGmW9eUj4HcPzX1aNvR6oLfDq5iEw8yKs3M'

/** Accounts with one e-mail that a sign-in tries. */
export const SAME_EMAIL_MAX = 3
export const CONCURRENT_MAX = 2
export const WAITING_MAX = 64

/**
 * All functions throw PasswordsBusyError when too many calls are waiting.
 *
 * @param dummyHash verified where there is no hash, at the cost of the others
 */
export function createPasswords(
  engine: PasswordEngine = createArgon2(),
  dummyHash: string = DUMMY_HASH,
): Passwords {
  const inTurn = createLimiter()
  return {
    hash: async (password) => await inTurn(() => engine.hash(password)),
    verify: async (password, hash) => {
      const matches = await inTurn(() => engine.verify(hash ?? dummyHash, password))
      return matches && hash !== undefined
    },
    find: async (password, hashes) =>
      await inTurn(async () => {
        let found = -1
        for (let n = 0; n < SAME_EMAIL_MAX; n += 1) {
          const hash = hashes[n]
          const matches = await engine.verify(hash ?? dummyHash, password)
          if (matches && hash !== undefined && found === -1) found = n
        }
        return found
      }),
  }
}

type Limiter = <T>(work: () => Promise<T>) => Promise<T>

function createLimiter(): Limiter {
  const waiting: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active >= CONCURRENT_MAX) {
      if (waiting.length >= WAITING_MAX) throw new PasswordsBusyError('Too many sign-ins')
      // A finished call passes its place on, so that no new call can take it first.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      active += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else active -= 1
    }
  }
}
