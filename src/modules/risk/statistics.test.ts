import { describe, expect, it } from 'vitest'
import { interpolate, negativeBinomialTail } from './statistics.ts'

it('a curve is constant beyond its ends and linear between its points', () => {
  const curve = [
    [1, 0],
    [2, 30],
    [4, 50],
  ] as const
  expect([0, 1, 1.5, 3, 4, 9].map((x) => interpolate(curve, x))).toEqual([0, 0, 15, 40, 50, 50])
})

/** P(k) by logarithms of factorials. */
function term(k: number, shape: number, mean: number): number {
  let log = shape * Math.log(shape / (shape + mean))
  for (let i = 0; i < k; i += 1) log += Math.log(((i + shape) / (i + 1)) * (mean / (mean + shape)))
  return Math.exp(log)
}

describe('the tail of the negative binomial', () => {
  it('agrees with the sum of its terms', () => {
    const tail = (n: number) =>
      1 - Array.from({ length: n }, (_, k) => term(k, 2, 4)).reduce((a, b) => a + b, 0)
    for (const n of [0, 1, 3, 10]) expect(negativeBinomialTail(n, 2, 4)).toBeCloseTo(tail(n), 10)
  })

  it('is an upper bound for large counts', () => {
    for (const [count, shape, mean] of [
      [101, 2, 20],
      [150, 60, 80],
      [200, 5, 10],
    ] as const) {
      const exact = Array.from({ length: 400 }, (_, k) => count + k)
      const summed = exact.reduce((total, k) => total + term(k, shape, mean), 0)
      expect(negativeBinomialTail(count, shape, mean)).toBeGreaterThanOrEqual(summed)
      expect(negativeBinomialTail(count, shape, mean)).toBeLessThan(summed * 100)
    }
    expect(negativeBinomialTail(500, 3, 600)).toBe(1)
  })

  it('stays above zero for extreme counts', () => {
    const far = negativeBinomialTail(500, 2, 0.01)
    expect(far).toBeGreaterThan(0)
    expect(far).toBeLessThan(1e-100)
    expect(negativeBinomialTail(1_000_000, 3, 0.5)).toBeGreaterThan(0)
  })
})
