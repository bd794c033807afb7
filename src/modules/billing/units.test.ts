import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isGrantable, toCredits, toUnits } from './units.ts'

describe('units', () => {
  it('are the nearest whole number, despite floating-point errors', () => {
    expect([1, 1.1, 0.0003, 0.3, 1000, 0].map(toUnits)).toEqual([
      10_000, 11_000, 3, 3000, 10_000_000, 0,
    ])
    expect(0.0003 * 10_000).not.toBe(3)
  })

  it('survive a conversion to credits and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (units) => {
        return toUnits(toCredits(units)) === units
      }),
    )
  })

  it('can be granted when they are positive and have at most four decimals', () => {
    for (const good of [1, 0.0001, 1.1, 123_456.7891, 1e9]) expect(isGrantable(good)).toBe(true)
    for (const bad of [0, -1, 0.00001, 1.00001, Number.NaN, Number.POSITIVE_INFINITY, 1e15]) {
      expect(isGrantable(bad)).toBe(false)
    }
  })
})
