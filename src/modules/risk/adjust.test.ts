import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adjust, type Change } from './adjust.ts'
import { adjustAll } from './adjustments.ts'
import { combinedProbability } from './combine.ts'

const WEIGHTS = { velocity: 0.75, pattern: 0.9, place: 0.4 }
type Signal = keyof typeof WEIGHTS

const scored = (velocity: number, pattern = 0, place = 0) => {
  const strengths = { velocity, pattern, place }
  return { strengths, probability: combinedProbability(WEIGHTS, strengths) }
}
const change = (effect: Change<Signal>['effect'], value: number, signal: Signal = 'pattern') => ({
  effect,
  value,
  signal,
})

describe('an adjustment', () => {
  it('adds points through its signal', () => {
    const before = scored(40)
    const { probability, strengths } = adjust(WEIGHTS, before, change('points', 20))
    expect(probability).toBeCloseTo(before.probability + 0.2, 10)
    expect(strengths.velocity).toBe(40)
    expect(combinedProbability(WEIGHTS, strengths)).toBeCloseTo(probability, 10)
  })

  it('lowers all signals alike', () => {
    const { probability, strengths } = adjust(WEIGHTS, scored(80, 60), change('cap', 24))
    expect(probability).toBe(0.24)
    expect(strengths.velocity).toBeLessThan(80)
    expect(strengths.pattern).toBeLessThan(60)
    expect(combinedProbability(WEIGHTS, strengths)).toBeCloseTo(0.24, 10)
  })

  it('does not change a score that is within a cap or above a floor', () => {
    const before = scored(40)
    expect(adjust(WEIGHTS, before, change('cap', 90))).toEqual(before)
    expect(adjust(WEIGHTS, before, change('floor', 10)).probability).toBe(before.probability)
  })

  it('reaches a floor that its signal alone cannot reach', () => {
    const { probability, strengths } = adjust(WEIGHTS, scored(0), change('floor', 90, 'place'))
    expect([probability, strengths.place]).toEqual([0.9, 100])
  })

  it('raises its signal to the least strength, which raises the score with it', () => {
    const before = scored(80)
    const next = adjust(WEIGHTS, before, { ...change('floor', 50), signal_min: 50 })
    expect(next.strengths.pattern).toBe(50)
    expect(next.probability).toBeCloseTo(combinedProbability(WEIGHTS, next.strengths), 10)
    expect(next.probability).toBeGreaterThan(before.probability)
  })

  it('stays within the scale for any sequence', () => {
    const strength = fc.integer({ min: 0, max: 100 })
    const step = fc.record({
      effect: fc.constantFrom('points' as const, 'floor' as const, 'cap' as const),
      value: fc.integer({ min: 0, max: 100 }),
      signal: fc.constantFrom<Signal>('velocity', 'pattern', 'place'),
    })
    fc.assert(
      fc.property(strength, strength, fc.array(step, { maxLength: 6 }), (one, other, steps) => {
        const cause = { by: 'list', id: 'e', list: 'block', kind: 'device', reason: null } as const
        const base = scored(one, other)
        const changes = steps.map((next) => ({ cause, change: next }))
        const { probability, strengths, adjustments } = adjustAll(WEIGHTS, base, changes)
        expect(adjustments).toHaveLength(steps.length)
        for (const value of [probability * 100, ...Object.values(strengths)]) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(100)
        }
      }),
    )
  })
})
