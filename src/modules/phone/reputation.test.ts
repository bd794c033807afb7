import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HALF_LIFE_DAYS, judge, type Opinion, WEIGHT_MAX, weightOf } from './reputation.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

const opinion = (given: Partial<Opinion>): Opinion => ({
  is_own: false,
  bad: 0,
  good: 0,
  updated_at: NOW,
  ...given,
})

describe('reputation', () => {
  it('believes an own report by its confidence', () => {
    const at = (confidence: number) =>
      judge([opinion({ is_own: true, ...weightOf('fraud', confidence) })], NOW).score
    expect([0, 50, 100].map(at)).toEqual([0, 45, 90])
  })

  it('weighs spam and bots half', () => {
    expect(weightOf('spam', 100)).toEqual({ bad: 0.5, good: 0 })
    expect(weightOf('legitimate', 80)).toEqual({ bad: 0, good: 0.8 })
  })

  it('never lets one other organisation alone bring a number to half', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: WEIGHT_MAX, noNaN: true }), (bad) => {
        expect(judge([opinion({ bad })], NOW).score).toBeLessThan(50)
      }),
    )
  })

  it('believes two others, or one other that the own evidence supports', () => {
    expect(judge([opinion({ bad: 1 }), opinion({ bad: 1 })], NOW)).toMatchObject({
      score: 60,
      others: 2,
    })
    const supported = [opinion({ bad: 1 }), opinion({ is_own: true, bad: 0.5 })]
    expect(judge(supported, NOW).score).toBe(60)
  })

  it('prefers own good experience to the word of others', () => {
    const opinions = [1, 1, 1].map((bad) => opinion({ bad }))
    expect(judge([...opinions, opinion({ is_own: true, good: 1 })], NOW).score).toBe(0)
  })

  it('fades', () => {
    const old = opinion({ is_own: true, bad: 1, updated_at: daysAgo(HALF_LIFE_DAYS) })
    expect(judge([old], NOW).score).toBe(45)
  })

  it('ignores a clock that differs', () => {
    const future = opinion({ is_own: true, bad: 1, updated_at: daysAgo(-3) })
    expect(judge([future], NOW).score).toBe(90)
  })
})
