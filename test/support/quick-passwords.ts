/**
 * Passwords at the lowest cost of argon2id. Hashing at the cost of the product took an eighth of the processor time
 * of the tests of accounts.
 */
import { createArgon2 } from '../../src/modules/accounts/argon2.ts'
import { createPasswords, type Passwords } from '../../src/modules/accounts/passwords.ts'

const LOWEST = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const DUMMY_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$V3mCL0nKq8ZyxR1bTgoP5w$0tS7bYk2QGmW9eUj4HcPzX1aNvR6oLfDq5iEw8yKs3M'

export const createQuickPasswords = (): Passwords =>
  createPasswords(createArgon2(LOWEST), DUMMY_HASH)
