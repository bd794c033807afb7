/** Values that no other test uses, so that tests share one database without noticing each other. */
import { randomInt, randomUUID } from 'node:crypto'

/** A registrable domain that nobody has looked up yet. */
export const newDomain = (): string => `shop-${randomUUID().slice(0, 8)}.test`

/** An address at a provider that is known without a look-up; nothing speaks against it. */
export const newEmail = (): string => `jane.${letters(10)}@gmail.com`

/** A mobile number that nobody has reported yet. */
export const newPhone = (): string => `+49151${randomInt(10_000_000, 99_999_999)}`

const letters = (count: number): string =>
  Array.from({ length: count }, () => 'aeiou'.charAt(randomInt(5))).join('')
