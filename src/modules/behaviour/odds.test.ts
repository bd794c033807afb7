import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from './labels.ts'
import { forgetOdds, learnOdds, type OddsState, oddsRisk } from './odds.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)
const FRAUD = 'confirmed_fraud'
const HONEST = 'legitimate'

/** One decision a day, the last one now. */
const after = (...outcomes: Outcome[]): OddsState | undefined =>
  outcomes.reduce<OddsState | undefined>(
    (state, outcome, i) => learnOdds(state, outcome, NOW - (outcomes.length - 1 - i) * DAY),
    undefined,
  )
const many = (count: number, outcome: Outcome): Outcome[] =>
  Array.from({ length: count }, () => outcome)
const risk = (state: OddsState | undefined, silent = 0, at_ms = NOW): number =>
  oddsRisk(state, silent, at_ms)

describe('the odds that something was tampered with', () => {
  it('are none without a fraud, and nothing is kept then', () => {
    expect(after(...many(9, HONEST))).toBeUndefined()
    expect(risk(undefined)).toBe(0)
  })

  it('are doubtful after one fraud and nearly sure after two', () => {
    expect(risk(after(FRAUD))).toBeGreaterThan(0.2)
    expect(risk(after(FRAUD))).toBeLessThan(0.4)
    expect(risk(after(FRAUD, FRAUD))).toBeGreaterThan(0.9)
  })

  it('rise as much after years of honest orders as without them', () => {
    expect(risk(after(...many(900, HONEST), FRAUD))).toBe(risk(after(FRAUD)))
  })

  it('fall within some honest orders, however many frauds there were', () => {
    const [one, three] = [1, 3].map((count) =>
      risk(after(...many(50, FRAUD), ...many(count, HONEST))),
    )
    expect(one).toBeGreaterThan(0.5)
    expect(three).toBeLessThan(0.1)
  })

  it('fall with orders about which nobody says anything', () => {
    const state = after(FRAUD, FRAUD)
    expect(risk(state, 3)).toBeLessThan(risk(state) * 0.7)
    expect(risk(state, 300)).toBe(0)
  })

  it('fade within weeks, not within days', () => {
    const state = after(FRAUD, FRAUD, FRAUD)
    expect(risk(state, 0, NOW + 7 * DAY)).toBeGreaterThan(0.7)
    expect(risk(state, 0, NOW + 90 * DAY)).toBeLessThan(0.02)
  })

  it('take only the blame that is its own', () => {
    expect(risk(learnOdds(undefined, FRAUD, NOW, 0.1))).toBeLessThan(0.01)
  })
})

describe('a decision that is taken back', () => {
  const again = (state: OddsState | undefined, outcome: Outcome) => forgetOdds(state, outcome, NOW)

  it('leaves what there would be without it', () => {
    expect(risk(again(after(FRAUD), FRAUD))).toBe(0)
    for (const rest of [[FRAUD], [FRAUD, FRAUD, FRAUD], [FRAUD, HONEST]] as Outcome[][]) {
      // The bounds work decision by decision: what is compared happened at one time.
      const at = (outcomes: Outcome[]) =>
        outcomes.reduce<OddsState | undefined>((s, o) => learnOdds(s, o, NOW), undefined)
      expect(again(at([...rest, FRAUD]), FRAUD)).toEqual(at(rest))
      expect(again(at([...rest, HONEST]), HONEST)?.odds).toBe(at(rest)?.odds)
    }
  })

  it('leaves nothing of an honest one that changed nothing', () => {
    expect(again(undefined, HONEST)).toBeUndefined()
    const cleared = after(FRAUD, ...many(5, HONEST))
    expect(again(cleared, HONEST)).toBe(cleared)
  })

  it('weeks later takes what is left of it', () => {
    const older = learnOdds(undefined, FRAUD, NOW - 56 * DAY)
    const both = learnOdds(older, FRAUD, NOW)
    const rest = forgetOdds(both, FRAUD, NOW - 56 * DAY)
    expect(risk(rest)).toBeCloseTo(risk(after(FRAUD)), 3)
  })
})

it('any decisions in any order leave a small state that JSON keeps, with odds within bounds', () => {
  const event = fc.record({
    outcome: fc.constantFrom<Outcome>(FRAUD, HONEST),
    at_ms: fc.integer({ min: NOW - 4000 * DAY, max: NOW }),
    blame: fc.double({ min: 0, max: 1, noNaN: true }),
    isTakenBack: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let state: OddsState | undefined
      for (const { outcome, at_ms, blame, isTakenBack } of events) {
        const before = state?.at ?? 0
        const frozen = state && Object.freeze(state)
        state = (isTakenBack ? forgetOdds : learnOdds)(frozen, outcome, at_ms, blame)
        if (state === undefined) continue
        expect(state.at).toBeGreaterThanOrEqual(before)
        expect(state.odds >= 0 && state.odds <= 9 && state.over >= 0).toBe(true)
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
        expect(JSON.stringify(state).length).toBeLessThan(64)
        expect(risk(state)).toBeGreaterThanOrEqual(0)
        expect(risk(state)).toBeLessThan(1)
      }
    }),
  )
})
