import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combinedProbability, riskLevel, scoreOf } from './combine.ts'
import type { EvidenceSignal } from './evidence.ts'
import { type Strengths, score, strengthOf, WEIGHTS } from './scoring.ts'

const SIGNALS = Object.keys(WEIGHTS) as EvidenceSignal[]
const strengths: fc.Arbitrary<Strengths> = fc.dictionary(
  fc.constantFrom(...SIGNALS),
  fc.integer({ min: 0, max: 100 }),
)

describe('score', () => {
  it('is an integer from 0 to 100 and never below the floor', () => {
    fc.assert(
      fc.property(strengths, fc.integer({ min: 0, max: 100 }), (given, floor) => {
        const { risk_score, risk_level } = score(given, floor)
        expect(Number.isInteger(risk_score)).toBe(true)
        expect(risk_score).toBeGreaterThanOrEqual(floor)
        expect(risk_score).toBeLessThanOrEqual(100)
        expect(risk_level).toBe(riskLevel(risk_score))
      }),
    )
  })

  it('never falls when a signal grows', () => {
    fc.assert(
      fc.property(strengths, fc.constantFrom(...SIGNALS), fc.nat(100), (given, signal, more) => {
        const grown = Math.min(100, (given[signal] ?? 0) + more)
        const before = score(given, 0).risk_score
        expect(score({ ...given, [signal]: grown }, 0).risk_score).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  it('splits the score into shares that add up to one', () => {
    fc.assert(
      fc.property(strengths, (given) => {
        const { shares } = score(given, 0)
        const sum = shares.reduce((total, { share }) => total + share, 0)
        if (shares.length > 0) expect(sum).toBeCloseTo(1)
        expect(shares.map(({ share }) => share)).toEqual(
          shares.map(({ share }) => share).toSorted((a, b) => b - a),
        )
      }),
    )
  })

  it('is the weight of a single certain signal', () => {
    for (const signal of SIGNALS) {
      expect(score({ [signal]: 100 }, 0).risk_score).toBe(Math.round(100 * WEIGHTS[signal]))
    }
  })

  it('is the same with and without shares', () => {
    fc.assert(
      fc.property(strengths, (given) => {
        const all = Object.fromEntries(SIGNALS.map((signal) => [signal, given[signal] ?? 0]))
        const probability = combinedProbability(WEIGHTS, all as Required<Strengths>)
        expect(scoreOf(probability, 0)).toBe(score(given, 0).risk_score)
      }),
    )
  })

  it('combines independent signals instead of adding them', () => {
    expect(score({ domain_age: 85, disposable: 60 }, 0).risk_score).toBe(76)
    expect(score({}, 0)).toEqual({ risk_score: 0, risk_level: 'low', shares: [] })
  })
})

it.each([
  [0, 'low'],
  [24, 'low'],
  [25, 'medium'],
  [49, 'medium'],
  [50, 'high'],
  [69, 'high'],
  [70, 'critical'],
  [100, 'critical'],
])('a score of %d is %s', (value, level) => {
  expect(riskLevel(value)).toBe(level)
})

it('takes the strongest finding of a signal as its strength', () => {
  const finding = (signal: EvidenceSignal, strength: number) => ({
    signal,
    score: strength,
    finding: 'x',
    detail: 'x',
  })
  const evidence = [finding('mx', 20), finding('mx', 60), finding('ip', 90)]
  expect(strengthOf(evidence, 'mx')).toBe(60)
  expect(strengthOf(evidence, 'phone')).toBe(0)
})
