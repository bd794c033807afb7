import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrate, type ScoredOutcome, stepOf } from './calibration.ts'

const outcomes = (score: number, frauds: number, legitimate: number): ScoredOutcome[] => [
  ...Array.from({ length: frauds }, () => ({ score, is_fraud: true, weight: 1 })),
  ...Array.from({ length: legitimate }, () => ({ score, is_fraud: false, weight: 1 })),
]

describe('the calibration', () => {
  it('is the share of fraud where it grows with the score', () => {
    const steps = calibrate([
      ...outcomes(0, 1, 99),
      ...outcomes(50, 20, 80),
      ...outcomes(90, 45, 5),
    ])
    expect(steps).toEqual([
      { from_score: 0, to_score: 49, fraud_share: 0.01, orders: 100 },
      { from_score: 50, to_score: 89, fraud_share: 0.2, orders: 100 },
      { from_score: 90, to_score: 100, fraud_share: 0.9, orders: 50 },
    ])
    expect(stepOf(steps, 70)?.fraud_share).toBe(0.2)
    expect(stepOf([], 70)).toBeUndefined()
  })

  it('pools scores that violate the order', () => {
    const steps = calibrate([
      ...outcomes(0, 0, 100),
      ...outcomes(40, 30, 70),
      ...outcomes(60, 10, 90),
      ...outcomes(90, 50, 50),
    ])
    expect(steps.map(({ from_score, fraud_share }) => [from_score, fraud_share])).toEqual([
      [0, 0],
      [40, 0.2],
      [90, 0.5],
    ])
  })

  it('never falls with the score, covers all scores, and counts every order', () => {
    const one = fc.record({
      score: fc.integer({ min: 0, max: 100 }),
      is_fraud: fc.boolean(),
      weight: fc.integer({ min: 1, max: 50 }),
    })
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 200 }), (some) => {
        const steps = calibrate(some)
        const shares = steps.map(({ fraud_share }) => fraud_share)
        expect(shares).toEqual(shares.toSorted((a, b) => a - b))
        expect([steps[0]?.from_score, steps.at(-1)?.to_score]).toEqual([0, 100])
        for (const [i, { to_score }] of steps.slice(0, -1).entries()) {
          expect(steps[i + 1]?.from_score).toBe(to_score + 1)
        }
        const total = steps.reduce((sum, { orders }) => sum + orders, 0)
        expect(total).toBe(some.reduce((sum, { weight }) => sum + weight, 0))
      }),
      { numRuns: 50 },
    )
  })
})
