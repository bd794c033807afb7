import { describe, expect, it } from 'vitest'
import { assessTiny } from './tiny-orders.ts'
import {
  assessVelocity,
  EMPTY_VELOCITY,
  learnVelocity,
  unusualAt,
  VELOCITY_PARAMETERS,
  type VelocityHabit,
  type VelocityState,
} from './velocity.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const NOW = Date.UTC(2026, 2, 1)
const person: VelocityHabit = { per_day: 0.2, people: 1, has_floor: true, score_max: 100 }

const event = (at_ms: number, more = {}) => ({
  at_ms,
  spent: 1,
  is_tiny: false,
  unusual: 0,
  ...more,
})

const after = (times: number[], state: VelocityState = EMPTY_VELOCITY): VelocityState =>
  times.reduce((before, at_ms) => learnVelocity(before, event(at_ms)), state)

const every = (ms: number, count: number, end = NOW) =>
  Array.from({ length: count }, (_, i) => end - (count - 1 - i) * ms)

const scoreOf = (state: VelocityState, habit = person) =>
  assessVelocity(state, habit, VELOCITY_PARAMETERS).score

describe('velocity', () => {
  it('does not count a second order within minutes', () => {
    expect(scoreOf(after(every(3 * MINUTE, 2)))).toBe(0)
  })

  it('always counts five in five minutes and twenty in an hour, even when usual', () => {
    const busy = after(every(10 * MINUTE, 3000, NOW - DAY))
    const five = assessVelocity(after(every(75_000, 5), busy), person, VELOCITY_PARAMETERS)
    const twenty = assessVelocity(after(every(3 * MINUTE, 20), busy), person, VELOCITY_PARAMETERS)
    expect(five.score).toBeGreaterThanOrEqual(50)
    expect(twenty.score).toBeGreaterThanOrEqual(50)
    expect([five.finding, twenty.finding]).toEqual(['too_many_orders', 'too_many_orders'])
  })

  it('excuses an always busy key without a floor', () => {
    const busy = after(every(10 * MINUTE, 3000))
    expect(scoreOf(busy)).toBe(0)
    const fresh = after(every(10 * MINUTE, 6))
    expect(scoreOf(fresh)).toBeGreaterThanOrEqual(50)
  })

  it('allows more when many people share a key', () => {
    const burst = after(every(2 * MINUTE, 8))
    expect(scoreOf(burst, { ...person, people: 8, has_floor: false })).toBe(0)
  })

  it('shows count, window and expected count', () => {
    const { numbers } = assessVelocity(after(every(5 * MINUTE, 8)), person, VELOCITY_PARAMETERS)
    expect(numbers).toMatchObject({ window: '1h' })
    expect(numbers['count']).toBeGreaterThan(5)
    expect(numbers['expected']).toBeLessThan(1)
  })

  it('finds an amount that is split into many orders', () => {
    const times = every(90 * MINUTE, 9)
    const dear = times.reduce(
      (state, at_ms) => learnVelocity(state, event(at_ms, { spent: 3 })),
      after(every(5 * DAY, 10, NOW - 10 * DAY)),
    )
    const found = assessVelocity(dear, person, { ...VELOCITY_PARAMETERS, split_score_max: 100 })
    expect(found.finding).toBe('split_amount')
    expect(found.score).toBeGreaterThan(0)
  })
})

describe('the counts', () => {
  it('do not depend on the order of events', () => {
    const times = every(7 * MINUTE, 6)
    const straight = after(times)
    const mixed = after([3, 0, 5, 1, 4, 2].map((i) => times[i] ?? 0))
    expect(mixed.at).toBe(straight.at)
    expect(mixed.since).toBe(straight.since)
    for (const [i, count] of mixed.counts.entries()) {
      expect(count).toBeCloseTo(straight.counts[i] ?? 0, 2)
    }
  })

  it('halve with their half-lives', () => {
    const state = after([NOW - 5 * MINUTE, NOW])
    expect(state.counts[0]).toBeCloseTo(1.5, 3)
    expect(after([NOW - 60 * MINUTE, NOW]).counts[1]).toBeCloseTo(1.5, 3)
    expect(unusualAt({ ...state, unusual: 1 }, NOW + 3 * DAY)).toBeCloseTo(0.5, 3)
  })
})

it('tiny orders count when they are many and a large part of all orders', () => {
  const tiny = (state: VelocityState, at_ms: number) =>
    learnVelocity(state, event(at_ms, { is_tiny: true }))
  const tested = every(MINUTE, 8).reduce(tiny, EMPTY_VELOCITY)
  expect(assessTiny(tested, 1, true).score).toBeGreaterThanOrEqual(70)
  expect(assessTiny(tested, 1, false).score).toBe(0)
  const busy = after(every(MINUTE, 120))
  expect(assessTiny(every(MINUTE, 8, NOW + 8 * MINUTE).reduce(tiny, busy), 1, true).score).toBe(0)
})
