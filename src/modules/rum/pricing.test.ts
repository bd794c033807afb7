import { expect, it } from 'vitest'
import { priceEvents } from './pricing.ts'

it('a thousand events cost the credits of the setting, in units', () => {
  expect(priceEvents(1)(0, 1000)).toBe(10_000)
  expect(priceEvents(7)(123_456, 124_456)).toBe(70_000)
})

it('nothing is lost or added where a month is cut into batches', () => {
  const price = priceEvents(3)
  const ends = [1, 2, 3, 10, 999, 1000, 1001, 12_345]
  const parts = ends.map((end, index) => price(ends[index - 1] ?? 0, end))
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(price(0, 12_345))
  expect(parts.every((part) => Number.isInteger(part))).toBe(true)
})

it('nothing costs nothing', () => {
  expect(priceEvents(0)(0, 1_000_000)).toBe(0)
  expect(priceEvents(5)(42, 42)).toBe(0)
})
