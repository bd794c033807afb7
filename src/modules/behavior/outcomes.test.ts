import { describe, expect, it } from 'vitest'
import type { Outcome } from './labels.ts'
import {
  EMPTY_OUTCOMES,
  forgetOutcome,
  learnOutcome,
  learnSeenOutcome,
  type OutcomesState,
  outcomeRisk,
  outcomesOf,
} from './outcomes.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)
const FRAUD = 'confirmed_fraud'
const HONEST = 'legitimate'

/** Orders of each day, the last of which is today, each decided a week later. */
function tilled(days: readonly Outcome[][]): OutcomesState {
  const events = days.flatMap((outcomes, day) =>
    outcomes.flatMap((outcome, i) => {
      const at = NOW - (days.length - 1 - day) * DAY - i * 1000
      return [
        { at, learn: (state: OutcomesState) => learnSeenOutcome(state, at) },
        {
          at: at + 7 * DAY,
          learn: (state: OutcomesState) => learnOutcome(state, outcome, at + 7 * DAY),
        },
      ]
    }),
  )
  return events
    .filter(({ at }) => at <= NOW)
    .toSorted((a, b) => a.at - b.at)
    .reduce((state, { learn }) => learn(state), EMPTY_OUTCOMES)
}
const many = (days: number, ...outcomes: Outcome[]): Outcome[][] =>
  Array.from({ length: days }, () => outcomes)
const risk = (state: OutcomesState): number => outcomeRisk(state, 1, NOW)

describe('the risk of a terminal', () => {
  it('is 0 without a fraud', () => {
    expect(risk(tilled(many(60, HONEST, HONEST)))).toBe(0)
    expect(outcomeRisk(EMPTY_OUTCOMES, 0, NOW)).toBe(0)
  })

  it('is high a few days after a terminal turned bad, and low after it was repaired', () => {
    const honest = many(60, HONEST, HONEST)
    const bad = [...honest, ...many(12, FRAUD, FRAUD)]
    expect(risk(tilled(bad))).toBeGreaterThan(0.7)
    expect(risk(tilled([...bad, ...many(12, HONEST, HONEST)]))).toBeLessThan(0.1)
  })

  it('is not above one half where one order in five is fraud', () => {
    for (const copies of [1, 5]) {
      const day = Array.from({ length: copies }, () => [FRAUD, HONEST, HONEST, HONEST, HONEST])
      const state = tilled(many(60, ...(day.flat() as Outcome[])))
      expect(risk(state)).toBeGreaterThan(0.02)
      expect(risk(state)).toBeLessThan(0.5)
    }
  })

  it('never falls with a further fraud', () => {
    let state = tilled(many(20, HONEST))
    let before = 0
    for (let i = 0; i < 40; i += 1) {
      state = learnOutcome(state, FRAUD, NOW)
      expect(risk(state)).toBeGreaterThanOrEqual(before)
      before = risk(state)
    }
  })

  it('takes undecided orders as legitimate where only frauds are decided', () => {
    const quiet = learnOutcome(EMPTY_OUTCOMES, FRAUD, NOW)
    let busy = EMPTY_OUTCOMES
    for (let i = 0; i < 300; i += 1) busy = learnSeenOutcome(busy, NOW - (300 - i) * 60_000)
    busy = learnOutcome(busy, FRAUD, NOW)
    expect(outcomeRisk(busy, 0, NOW)).toBeLessThan(0.05)
    expect(outcomeRisk(quiet, 0, NOW)).toBeGreaterThan(outcomeRisk(busy, 0, NOW))
  })
})

it('a decision that is taken back leaves nothing', () => {
  const before = tilled(many(10, HONEST))
  for (const outcome of [FRAUD, HONEST] as const) {
    const after = forgetOutcome(learnOutcome(before, outcome, NOW), outcome, NOW)
    expect(after.fraud).toEqual(before.fraud)
    expect(after.legitimate[1]).toBeCloseTo(before.legitimate[1], 3)
  }
})

it('counts of earlier versions are read as those of every horizon', () => {
  const state = outcomesOf({ at: NOW, seen: 9, fraud: 3, legitimate: 4 })
  expect(state).toEqual({
    at: NOW,
    seen: [9, 9, 9],
    fraud: [3, 3, 3],
    legitimate: [4, 4, 4],
  })
})
