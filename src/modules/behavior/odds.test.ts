import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from './labels.ts'
import { forgetOdds, learnOdds, type OddsState, oddsRisk } from './odds.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)
const FRAUD = 'confirmed_fraud'
const HONEST = 'legitimate'

/** Learns one decision a day, the last one now. */
const after = (...outcomes: Outcome[]): OddsState | undefined =>
  outcomes.reduce<OddsState | undefined>(
    (state, outcome, i) => learnOdds(state, outcome, NOW - (outcomes.length - 1 - i) * DAY),
    undefined,
  )
const many = (count: number, outcome: Outcome): Outcome[] =>
  Array.from({ length: count }, () => outcome)
const risk = (state: OddsState | undefined, silent = 0, at_ms = NOW): number =>
  oddsRisk(state, silent, at_ms)

describe('the odds of tampering', () => {
  it('have no state without a fraud', () => {
    expect(after(...many(9, HONEST))).toBeUndefined()
    expect(risk(undefined)).toBe(0)
  })

  it('are moderate after one fraud and nearly certain after two', () => {
    expect(risk(after(FRAUD))).toBeGreaterThan(0.2)
    expect(risk(after(FRAUD))).toBeLessThan(0.4)
    expect(risk(after(FRAUD, FRAUD))).toBeGreaterThan(0.9)
  })

  it('rise the same after years of honest orders', () => {
    expect(risk(after(...many(900, HONEST), FRAUD))).toBe(risk(after(FRAUD)))
  })

  it('fall with a few honest orders after any number of frauds', () => {
    const [one, three] = [1, 3].map((count) =>
      risk(after(...many(50, FRAUD), ...many(count, HONEST))),
    )
    expect(one).toBeGreaterThan(0.5)
    expect(three).toBeLessThan(0.1)
  })

  it('fall with undecided orders', () => {
    const state = after(FRAUD, FRAUD)
    expect(risk(state, 3)).toBeLessThan(risk(state) * 0.7)
    expect(risk(state, 300)).toBe(0)
  })

  it('fade within weeks, not days', () => {
    const state = after(FRAUD, FRAUD, FRAUD)
    expect(risk(state, 0, NOW + 7 * DAY)).toBeGreaterThan(0.7)
    expect(risk(state, 0, NOW + 90 * DAY)).toBeLessThan(0.02)
  })

  it('count only the terminal’s own blame', () => {
    expect(risk(learnOdds(undefined, FRAUD, NOW, 0.1))).toBeLessThan(0.01)
  })
})

describe('taking back a decision', () => {
  const again = (state: OddsState | undefined, outcome: Outcome) => forgetOdds(state, outcome, NOW)

  it('gives the odds without it', () => {
    expect(risk(again(after(FRAUD), FRAUD))).toBe(0)
    for (const rest of [[FRAUD], [FRAUD, FRAUD, FRAUD], [FRAUD, HONEST]] as Outcome[][]) {
      // The bounds apply per decision, so the compared decisions have the same time.
      const at = (outcomes: Outcome[]) =>
        outcomes.reduce<OddsState | undefined>((s, o) => learnOdds(s, o, NOW), undefined)
      expect(again(at([...rest, FRAUD]), FRAUD)).toEqual(at(rest))
      expect(again(at([...rest, HONEST]), HONEST)?.odds).toBe(at(rest)?.odds)
    }
  })

  it('has no effect for an honest order that had none', () => {
    expect(again(undefined, HONEST)).toBeUndefined()
    const cleared = after(FRAUD, ...many(5, HONEST))
    expect(again(cleared, HONEST)).toBe(cleared)
  })

  it('weeks later removes its decayed weight', () => {
    const older = learnOdds(undefined, FRAUD, NOW - 56 * DAY)
    const both = learnOdds(older, FRAUD, NOW)
    const rest = forgetOdds(both, FRAUD, NOW - 56 * DAY)
    expect(risk(rest)).toBeCloseTo(risk(after(FRAUD)), 3)
  })
})

it('random decisions leave a small state that survives JSON, with odds within bounds', () => {
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
