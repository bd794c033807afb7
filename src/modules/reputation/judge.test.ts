import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HALF_LIFE_DAYS, judge, type Opinion, WEIGHT_MAX } from './judge.ts'

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
  it('believes an own opinion by its weight', () => {
    const at = (bad: number) => judge([opinion({ is_own: true, bad })], NOW).score
    expect([0, 0.5, 1, WEIGHT_MAX].map(at)).toEqual([0, 45, 90, 90])
  })

  it('never lets one other organisation alone bring an identity to half', () => {
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
    expect(judge(supported, NOW)).toMatchObject({ score: 60, shared: 60 })
  })

  it('prefers own good experience to the word of others', () => {
    const opinions = [1, 1, 1].map((bad) => opinion({ bad }))
    expect(judge([...opinions, opinion({ is_own: true, good: 1 })], NOW).score).toBe(0)
  })

  it('says apart what only the others say', () => {
    const alone = [opinion({ is_own: true, bad: 1 })]
    expect(judge(alone, NOW)).toEqual({ score: 90, shared: 0, own: 1, others: 0 })
    const both = [...alone, opinion({ bad: 1 }), opinion({ bad: 1 })]
    expect(judge(both, NOW)).toEqual({ score: 90, shared: 80, own: 1, others: 2 })
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
