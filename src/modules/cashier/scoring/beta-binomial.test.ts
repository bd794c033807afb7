import { describe, expect, it } from 'vitest'
import { betaBinomialLogTail, logGamma } from './beta-binomial.ts'

/** The definition: the sum of the probabilities of all counts from k on. */
function tailByDefinition(k: number, n: number, a: number, b: number): number {
  const choose = (of: number, some: number) => {
    let ways = 1
    for (let index = 1; index <= some; index += 1) ways *= (of - some + index) / index
    return ways
  }
  // B(j + a, n - j + b) / B(a, b) is a product of rising factorials.
  const rising = (x: number, times: number) => {
    let product = 1
    for (let index = 0; index < times; index += 1) product *= x + index
    return product
  }
  let sum = 0
  for (let j = k; j <= n; j += 1) {
    sum += (choose(n, j) * rising(a, j) * rising(b, n - j)) / rising(a + b, n)
  }
  return sum
}

describe('the beta-binomial tail', () => {
  it.each([
    [3, 10, 0.1, 20],
    [5, 40, 0.015, 50],
    [9, 12, 0.25, 20],
    [30, 60, 0.3, 24],
    [12, 12, 0.4, 30],
  ])('equals the definition for %d of %d at %f with strength %d', (k, n, rate, strength) => {
    const exact = tailByDefinition(k, n, rate * strength, (1 - rate) * strength)
    expect(betaBinomialLogTail(k, n, rate, strength)).toBeCloseTo(Math.log(exact), 2)
  })

  it('is 0 for a count that does not exceed the expected one', () => {
    expect(betaBinomialLogTail(2, 100, 0.05, 100)).toBe(0)
    expect(betaBinomialLogTail(0, 0, 0.05, 100)).toBe(0)
  })

  it('falls as the count grows, even between whole numbers and with many trials', () => {
    for (const trials of [60, 6000]) {
      let before = 0
      for (let count = 0.06 * trials; count < 0.2 * trials; count += trials / 500) {
        const tail = betaBinomialLogTail(count, trials, 0.05, 400)
        expect(tail).toBeLessThanOrEqual(before)
        before = tail
      }
      expect(before).toBeLessThan(-5)
    }
  })

  it('is larger when the peers differ more', () => {
    expect(betaBinomialLogTail(30, 600, 0.02, 30)).toBeGreaterThan(
      betaBinomialLogTail(30, 600, 0.02, 3000),
    )
  })
})

it('the gamma function extends the factorials', () => {
  expect(logGamma(1)).toBeCloseTo(0, 9)
  expect(logGamma(6)).toBeCloseTo(Math.log(120), 9)
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 9)
})
