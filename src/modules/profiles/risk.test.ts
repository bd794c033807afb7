import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RISK_LEVELS, riskLevel } from '../risk/index.ts'
import {
  type CurrentRisk,
  EMPTY_RISK,
  forgetRiskDecision,
  learnCheckRisk,
  learnOrderScore,
  learnRiskDecision,
  type ProfileRisk,
  riskOf,
} from './risk.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1)

/** Learns orders with these scores, all at `NOW`. */
const scored = (...scores: readonly number[]): ProfileRisk =>
  scores.reduce((risk, score) => learnOrderScore(risk, score, NOW, NOW), EMPTY_RISK)
const current = (risk: ProfileRisk, at_ms = NOW): CurrentRisk => riskOf({ risk }, at_ms)
const times = (count: number, score: number): number[] => Array.from({ length: count }, () => score)

describe('profile risk', () => {
  it('equals the score of an only order', () => {
    for (let score = 0; score <= 100; score += 1) {
      expect(current(scored(score))).toEqual({ risk_score: score, risk_level: riskLevel(score) })
    }
  })

  it('halves in 14 days', () => {
    expect(current(scored(64), NOW + 14 * DAY).risk_score).toBe(32)
    expect(current(scored(64), NOW + 28 * DAY).risk_score).toBe(16)
  })

  it('stays low with any number of small scores', () => {
    expect(current(scored(...times(50, 10)))).toEqual({ risk_score: 10, risk_level: 'low' })
    expect(current(scored(...times(1000, 24)))).toEqual({ risk_score: 24, risk_level: 'low' })
  })

  it('grows by repetition at most 15 points above the strongest score', () => {
    expect(current(scored(60, 60)).risk_score).toBe(69)
    expect(current(scored(60, 60, 60)).risk_level).toBe('critical')
    expect(current(scored(...times(50, 40))).risk_score).toBe(55)
    expect(current(scored(...times(50, 60))).risk_score).toBe(75)
    expect(current(scored(...times(50, 100))).risk_score).toBe(100)
  })

  it('does not depend on the order of events', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 8 })
    fc.assert(
      fc.property(scores, (some) => {
        expect(current(scored(...some))).toEqual(current(scored(...some.toReversed())))
      }),
    )
  })

  it('counts a past order with its decayed score', () => {
    const late = learnOrderScore(EMPTY_RISK, 90, NOW - 14 * DAY, NOW)
    expect(current(late).risk_score).toBe(45)
    expect(learnOrderScore(EMPTY_RISK, 90, NOW - 2000 * DAY, NOW)).toBe(EMPTY_RISK)
  })
})

describe('a check', () => {
  it('counts four fifths, and once for repeated reports', () => {
    let risk = EMPTY_RISK
    for (let i = 0; i < 20; i += 1) risk = learnCheckRisk(risk, 90, NOW + i * 1000)
    expect(current(risk)).toEqual({ risk_score: 72, risk_level: 'critical' })
  })

  it('is replaced by a stronger one, or by a weaker one after it has decayed', () => {
    const weak = learnCheckRisk(EMPTY_RISK, 50, NOW)
    expect(current(learnCheckRisk(weak, 80, NOW)).risk_score).toBe(64)
    expect(learnCheckRisk(weak, 20, NOW)).toBe(weak)
    expect(learnCheckRisk(weak, 20, NOW + 40 * DAY).check).toEqual([16, (NOW + 40 * DAY) / 60_000])
  })

  it('with score 0 leaves the same state', () => {
    expect(learnCheckRisk(EMPTY_RISK, 0, NOW)).toBe(EMPTY_RISK)
  })
})

describe('a decision', () => {
  const order = { risk_score: 60, at_ms: NOW }

  it('of fraud makes the profile critical for a week', () => {
    const risk = learnRiskDecision(scored(60), order, 'confirmed_fraud', NOW + 7 * DAY)
    expect(current(risk, NOW + 7 * DAY)).toEqual({ risk_score: 95, risk_level: 'critical' })
    expect(current(risk, NOW + 13 * DAY).risk_level).toBe('critical')
    expect(current(risk, NOW + 17 * DAY).risk_level).toBe('high')
  })

  it('of legitimate removes only that order', () => {
    const risk = learnRiskDecision(scored(60, 80), order, 'legitimate', NOW)
    expect(current(risk)).toEqual({ risk_score: 80, risk_level: 'critical' })
    const rest = learnRiskDecision(risk, { risk_score: 80, at_ms: NOW }, 'legitimate', NOW)
    expect(current(rest)).toEqual({ risk_score: 0, risk_level: 'low' })
  })

  it('that is taken back restores the score of the order', () => {
    for (const decision of ['confirmed_fraud', 'legitimate'] as const) {
      const before = scored(60, 40)
      const decided_at_ms = NOW + 3 * DAY
      const decided = learnRiskDecision(before, order, decision, decided_at_ms)
      const undone = forgetRiskDecision(decided, order, { decision, decided_at_ms }, NOW + 4 * DAY)
      expect(new Set(undone.scores)).toEqual(new Set(before.scores))
    }
  })
})

describe('the level', () => {
  it('rises at its edge, falls three points below it, and holds the score in between', () => {
    const risk = scored(52)
    const at = (value: number): CurrentRisk =>
      current(risk, NOW + 14 * DAY * (Math.log2(52) - Math.log2(value)))
    expect(at(52)).toEqual({ risk_score: 52, risk_level: 'high' })
    expect(at(49)).toEqual({ risk_score: 50, risk_level: 'high' })
    expect(at(47)).toEqual({ risk_score: 50, risk_level: 'high' })
    expect(at(46)).toEqual({ risk_score: 46, risk_level: 'medium' })
    expect(at(24)).toEqual({ risk_score: 25, risk_level: 'medium' })
    expect(at(22)).toEqual({ risk_score: 25, risk_level: 'medium' })
    expect(at(21)).toEqual({ risk_score: 21, risk_level: 'low' })
  })

  it('does not flap while the value oscillates around an edge', () => {
    let risk = scored(50)
    const levels: string[] = []
    for (let day = 1; day <= 60; day += 1) {
      const now_ms = NOW + day * DAY
      risk = learnOrderScore(risk, day % 2 === 0 ? 50 : 10, now_ms, now_ms)
      levels.push(risk.level)
    }
    expect(levels.filter((level, i) => i > 0 && level !== levels[i - 1])).toHaveLength(0)
  })

  it('agrees with the published score at any time', () => {
    const event = fc.tuple(
      fc.constantFrom('order', 'check', 'confirmed_fraud', 'legitimate'),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 20 * DAY }),
      fc.integer({ min: 0, max: 60 * DAY }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.nat(30 * DAY), (events, wait) => {
        let risk = EMPTY_RISK
        let now_ms = NOW
        for (const [kind, score, elapsed, age] of events) {
          now_ms += elapsed
          risk = step(freeze(risk), kind, { risk_score: score, at_ms: now_ms - age }, now_ms)
          const { risk_score, risk_level } = current(risk, now_ms)
          expect(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100).toBe(true)
          expect(riskLevel(risk_score)).toBe(risk_level)
          expect(risk.level).toBe(risk_level)
        }
        const later = now_ms + wait
        const between = learnCheckRisk(risk, 0, now_ms + wait / 2)
        expect(current(between, later)).toEqual(current(risk, later))
        const { risk_score, risk_level } = current(risk, later)
        expect(riskLevel(risk_score)).toBe(risk_level)
        expect(RISK_LEVELS.indexOf(risk_level)).toBeLessThanOrEqual(RISK_LEVELS.indexOf(risk.level))
        expect(JSON.parse(JSON.stringify(risk))).toStrictEqual(risk)
        expect(JSON.stringify(risk).length).toBeLessThan(200)
      }),
    )
  })
})

function step(
  risk: ProfileRisk,
  kind: 'order' | 'check' | 'confirmed_fraud' | 'legitimate',
  { risk_score, at_ms }: { risk_score: number; at_ms: number },
  now_ms: number,
): ProfileRisk {
  if (kind === 'order') return learnOrderScore(risk, risk_score, at_ms, now_ms)
  if (kind === 'check') return learnCheckRisk(risk, risk_score, now_ms)
  return learnRiskDecision(risk, { risk_score, at_ms }, kind, now_ms)
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
