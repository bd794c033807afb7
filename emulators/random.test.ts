import { expect, test } from 'vitest'
import { createRandom } from './random.ts'

const run = (seed: number) => Array.from({ length: 1_000 }, createRandom(seed))

test('the same seed yields the same numbers, and another seed yields others', () => {
  expect(run(5)).toEqual(run(5))
  expect(run(5)).not.toEqual(run(6))
})

test('the numbers are distributed evenly between 0 and 1', () => {
  const numbers = run(1)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  expect(mean).toBeGreaterThan(0.45)
  expect(mean).toBeLessThan(0.55)
})
