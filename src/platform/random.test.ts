import { describe, expect, it } from 'vitest'
import { createRandom } from './random.ts'

const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw)
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const variance = (values: number[]) => {
  const centre = mean(values)
  return mean(values.map((value) => (value - centre) ** 2))
}

describe('seeded random numbers', () => {
  it('are the same for the same seed and others for another', () => {
    const [a, b, c] = [1, 1, 2].map((seed) => draws(5, createRandom(seed).uniform))
    expect(a).toEqual(b)
    expect(a).not.toEqual(c)
  })

  it('have independent streams', () => {
    const [first, second] = [createRandom(1), createRandom(1)]
    draws(100, first.uniform)
    expect(draws(5, first.fork('x').uniform)).toEqual(draws(5, second.fork('x').uniform))
    expect(draws(5, first.fork('x').uniform)).not.toEqual(draws(5, first.fork('y').uniform))
  })

  it('are uniform from 0 to below 1', () => {
    const values = draws(20_000, createRandom(3).uniform)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(1)
    expect(mean(values)).toBeCloseTo(0.5, 1)
    expect(variance(values)).toBeCloseTo(1 / 12, 2)
  })

  it('have the mean and the variance of a normal distribution', () => {
    const random = createRandom(4)
    const values = draws(20_000, () => random.normal(10, 2))
    expect(mean(values)).toBeCloseTo(10, 1)
    expect(variance(values)).toBeCloseTo(4, 0)
  })

  it.each([0, 0.5, 4, 40])(
    'have the mean and the variance of a Poisson distribution, %d',
    (expected) => {
      const random = createRandom(5)
      const values = draws(20_000, () => random.poisson(expected))
      expect(Math.abs(mean(values) - expected)).toBeLessThanOrEqual(0.05 * expected)
      expect(Math.abs(variance(values) - expected)).toBeLessThanOrEqual(0.05 * expected)
    },
  )

  it('pick both ends of a range, and by weight', () => {
    const random = createRandom(6)
    expect(new Set(draws(200, () => random.integer(1, 3)))).toEqual(new Set([1, 2, 3]))
    const picks = draws(4_000, () =>
      random.weighted(['rare', 'often'], (each) => (each === 'rare' ? 1 : 3)),
    )
    expect(picks.filter((each) => each === 'often').length / picks.length).toBeCloseTo(0.75, 1)
  })

  it('sample different positions, at most all', () => {
    const random = createRandom(7)
    expect(new Set(random.sample(10, 4)).size).toBe(4)
    expect(random.sample(3, 9).toSorted((a, b) => a - b)).toEqual([0, 1, 2])
  })
})
