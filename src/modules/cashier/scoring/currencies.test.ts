import { expect, it } from 'vitest'
import { roundness } from './currencies.ts'

it.each([
  [5000, 'EUR', 1],
  [1500, 'USD', 0.5],
  [1999, 'EUR', 0],
  [250, undefined, 0],
  [2000, undefined, 1],
  // 20,000 yen are two banknotes, 1,500 yen a coin and a banknote.
  [20_000, 'JPY', 1],
  [1500, 'JPY', 0.5],
  [1980, 'JPY', 0],
  [5000, 'KRW', 0.5],
  [1000, 'KRW', 0],
  [50_000, 'KRW', 1],
  // 10.000 dinars are round; 1.000 dinar is a small amount.
  [10_000, 'KWD', 1],
  [1000, 'KWD', 0],
  [0, 'EUR', 0],
])('%d of %s is round to %f', (amount, currency, expected) => {
  expect(roundness(amount, currency)).toBe(expected)
})
