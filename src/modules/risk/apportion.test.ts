import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apportion } from './apportion.ts'

describe('points of a score', () => {
  it('add up to the score for any shares, each within one point', () => {
    const parts = fc.array(fc.double({ min: 0.001, max: 100, noNaN: true }), {
      minLength: 1,
      maxLength: 9,
    })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), parts, (score, weights) => {
        const total = weights.reduce((sum, one) => sum + one, 0)
        const shares = weights.map((one) => one / total)
        const points = apportion(score, shares)
        expect(points.reduce((sum, one) => sum + one, 0)).toBe(score)
        for (const [index, share] of shares.entries()) {
          expect(Math.abs((points[index] ?? 0) - share * score)).toBeLessThan(1)
        }
      }),
    )
  })

  it('are zero when no signal has a share', () => {
    expect([apportion(0, []), apportion(1, [0, 0])]).toEqual([[], [0, 0]])
  })
})
