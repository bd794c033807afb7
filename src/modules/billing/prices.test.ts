import { array, assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { priceOfLogs, priceOfRumEvents } from './prices.ts'

describe('the price of logs', () => {
  it.each([
    [0, 0],
    [1, 10],
    [9_999, 99_990],
    [10_000, 100_000],
    [10_001, 100_008],
    [100_000, 820_000],
    [100_001, 820_005],
    [150_000, 1_070_000],
    [1_000_000, 5_320_000],
    [1_000_001, 5_320_003],
    [2_000_000, 8_320_000],
  ])('of the first %i of a month is %i units', (logs, units) => {
    expect(priceOfLogs(0, logs)).toBe(units)
  })

  it('does not depend on how they are split into batches', () => {
    const sizes = array(integer({ min: 0, max: 300_000 }), { maxLength: 30 })
    assert(
      property(sizes, (batches) => {
        let total = 0
        let units = 0
        for (const size of batches) {
          units += priceOfLogs(total, total + size)
          total += size
        }
        expect(units).toBe(priceOfLogs(0, total))
      }),
    )
  })

  it('is exact for every single log around a boundary', () => {
    for (const [boundary, below, above] of [
      [10_000, 10, 8],
      [100_000, 8, 5],
      [1_000_000, 5, 3],
    ] as const) {
      expect(priceOfLogs(boundary - 1, boundary)).toBe(below)
      expect(priceOfLogs(boundary, boundary + 1)).toBe(above)
      expect(priceOfLogs(boundary - 1, boundary + 1)).toBe(below + above)
    }
  })
})

describe('the price of RUM events', () => {
  it('is the configured number of credits for a thousand events, in units', () => {
    expect(priceOfRumEvents(1)(0, 1000)).toBe(10_000)
    expect(priceOfRumEvents(7)(123_456, 124_456)).toBe(70_000)
  })

  it('does not depend on how a month is split into batches', () => {
    const price = priceOfRumEvents(3)
    const ends = [1, 2, 3, 10, 999, 1000, 1001, 12_345]
    const parts = ends.map((end, index) => price(ends[index - 1] ?? 0, end))
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(price(0, 12_345))
    expect(parts.every((part) => Number.isInteger(part))).toBe(true)
  })

  it('is zero without events', () => {
    expect(priceOfRumEvents(0)(0, 1_000_000)).toBe(0)
    expect(priceOfRumEvents(5)(42, 42)).toBe(0)
  })
})
