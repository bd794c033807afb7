/** Values that no other test uses, so that tests can share one database. */
import { randomInt, randomUUID } from 'node:crypto'

/** Returns a registrable domain that was never looked up. */
export const newDomain = (): string => `shop-${randomUUID().slice(0, 8)}.test`

/** Returns an address without risk, at a provider that is known without a look-up. */
export const newEmail = (): string => `jane.${letters(10)}@gmail.com`

/** Returns a mobile number that was never reported. */
export const newPhone = (): string => `+49151${randomInt(10_000_000, 99_999_999)}`

const letters = (count: number): string =>
  Array.from({ length: count }, () => 'aeiou'.charAt(randomInt(5))).join('')
