/**
 * Password hashes by argon2id. A hash takes 19 MiB and a thread for some 30 ms, so only a few run
 * at a time and only so many wait: a flood of sign-ins must not take the memory of the service.
 */
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'

export type Passwords = {
  /** @returns PHC string */
  hash(password: string): Promise<string>
  /** Does the same work without a hash to compare with, so that time does not tell who exists. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export type PasswordEngine = {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
}

/** Too many sign-ins are waiting; trying again later is right. */
export class PasswordsBusyError extends Error {}

/** OWASP Password Storage Cheat Sheet: argon2id (the library's default) with 19 MiB, 2, 1. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The hash of nobody: same parameters, random salt and digest. */
export const HASH_OF_NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$V3mCL0nKq8ZyxR1bTgoP5w$0tS7bYk2QGmW9eUj4HcPzX1aNvR6oLfDq5iEw8yKs3M'

export const AT_ONCE_MAX = 2
export const WAITING_MAX = 64

const argon2: PasswordEngine = {
  hash: async (password) => await argon2Hash(password, PARAMETERS),
  verify: async (hash, password) => await argon2Verify(hash, password),
}

/** @throws PasswordsBusyError from both functions when too many wait already */
export function createPasswords(engine: PasswordEngine = argon2): Passwords {
  const inTurn = createTurnstile()
  return {
    hash: async (password) => await inTurn(() => engine.hash(password)),
    verify: async (password, hash) => {
      const matches = await inTurn(() => engine.verify(hash ?? HASH_OF_NOBODY, password))
      return matches && hash !== undefined
    },
  }
}

type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

function createTurnstile(): Turnstile {
  const waiting: (() => void)[] = []
  let active = 0
  return async (work) => {
    if (active >= AT_ONCE_MAX) {
      if (waiting.length >= WAITING_MAX) throw new PasswordsBusyError('Too many sign-ins at once')
      // Whoever ends hands over its place, so that nobody new slips in between.
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
