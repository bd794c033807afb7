import { describe, expect, it } from 'vitest'
import { assessHour, EMPTY_HOURS, HOURS_PARAMETERS, type HoursState, learnHour } from './hours.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)

const daily = (hours: number[], days: number, end = NOW, state: HoursState = EMPTY_HOURS) =>
  Array.from({ length: days }, (_, i) => i).reduce(
    (before, i) => learnHour(before, hours[i % hours.length] ?? 0, end - (days - i) * DAY),
    state,
  )
const shop = daily([9, 11, 12, 14, 16, 18, 19, 20], 400)
const scoreOf = (own: HoursState, local_hour: number, organization = shop) =>
  assessHour({ own, organization }, local_hour, NOW, HOURS_PARAMETERS).score

describe('the hour', () => {
  it('stands out when it is unusual for customer and organization', () => {
    expect(scoreOf(daily([11, 12, 18], 60), 4)).toBeGreaterThanOrEqual(25)
    expect(scoreOf(daily([11, 12, 18], 60), 12)).toBe(0)
  })

  it('is usual for a customer who always orders at night', () => {
    expect(scoreOf(daily([2, 3], 60), 3)).toBe(0)
  })

  it('has no strength while nothing is known', () => {
    expect(scoreOf(EMPTY_HOURS, 4, EMPTY_HOURS)).toBe(0)
  })

  it('is smoothed with its neighbors, also around midnight', () => {
    const late = daily([23], 80)
    expect(scoreOf(late, 4)).toBeGreaterThan(20)
    expect(scoreOf(late, 0)).toBe(0)
  })

  it('never exceeds its cap', () => {
    const always = daily([12], 2000)
    expect(scoreOf(always, 0, always)).toBeLessThanOrEqual(HOURS_PARAMETERS.score_max)
  })

  it('is forgotten over months, also after many years', () => {
    const moved = daily([3], 400, NOW, daily([12], 400, NOW - 400 * DAY))
    expect(scoreOf(moved, 3)).toBe(0)
    expect(scoreOf(daily([12], 400, NOW - 400 * DAY), 12)).toBe(0)
    expect((moved.bins[12] ?? 0) / (moved.bins[3] ?? 0)).toBeLessThan(0.02)
    expect(Math.max(...moved.bins)).toBeLessThan(10_000)
  })
})

it('a late order adds its decayed weight, and a very late one nothing', () => {
  const state = daily([12], 400)
  expect(learnHour(state, 3, NOW - 40 * 365 * DAY)).toBe(state)
  const [before, after] = [state.bins[3] ?? 0, learnHour(state, 3, NOW - 60 * DAY).bins[3] ?? 0]
  expect(after).toBeGreaterThan(before)
})
