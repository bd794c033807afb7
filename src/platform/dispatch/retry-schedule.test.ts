import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../time-units.ts'
import { durationMs, retryDelayMs } from './retry-schedule.ts'

const schedules = fc.array(fc.integer({ min: 1000, max: 200 * HOUR_MS }), {
  minLength: 1,
  maxLength: 20,
})
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const wishes = fc.option(fc.integer({ min: 0, max: 1_000_000_000 }), { nil: undefined })

describe('the delay before the next attempt', () => {
  it('is the scheduled one, 20 % more or less, if the receiver requests nothing', () => {
    fc.assert(
      fc.property(schedules, fc.nat(), chance, (schedule_ms, index, random) => {
        const attempts = (index % schedule_ms.length) + 1
        const planned = schedule_ms[attempts - 1] ?? 0
        const delay = retryDelayMs({ schedule_ms, attempts, random }) ?? Number.NaN
        expect(delay).toBeGreaterThanOrEqual(Math.floor(planned * 0.8))
        expect(delay).toBeLessThanOrEqual(Math.ceil(planned * 1.2))
      }),
    )
  })

  it('is never shortened by the request of the receiver and always within bounds', () => {
    fc.assert(
      fc.property(schedules, fc.nat(), chance, wishes, (schedule_ms, index, random, wish) => {
        const attempts = (index % schedule_ms.length) + 1
        const planned = schedule_ms[attempts - 1] ?? 0
        const question = { schedule_ms, attempts, random }
        const unrequested = retryDelayMs(question) ?? Number.NaN
        const delay = retryDelayMs({ ...question, retry_after_s: wish }) ?? Number.NaN
        expect(delay).toBeGreaterThanOrEqual(unrequested)
        expect(delay).toBeLessThanOrEqual(Math.max(2 * planned, HOUR_MS, unrequested))
        const isGrantable = (wish ?? 0) * 1000 <= Math.max(2 * planned, HOUR_MS)
        if (isGrantable) expect(delay).toBeGreaterThanOrEqual((wish ?? 0) * 1000)
      }),
    )
  })

  it('is undefined at the end of the schedule', () => {
    fc.assert(
      fc.property(schedules, fc.nat(50), chance, wishes, (schedule_ms, more, random, wish) => {
        const attempts = schedule_ms.length + 1 + more
        const question = { schedule_ms, attempts, random, retry_after_s: wish }
        expect(retryDelayMs(question)).toBeUndefined()
      }),
    )
  })

  it('is the scheduled one for a random number in the middle', () => {
    const schedule_ms = [5000, 300_000]
    expect(retryDelayMs({ schedule_ms, attempts: 1, random: 0 })).toBe(4000)
    expect(retryDelayMs({ schedule_ms, attempts: 1, random: 0.5 })).toBe(5000)
    expect(retryDelayMs({ schedule_ms, attempts: 2, random: 0.5 })).toBe(300_000)
    expect(retryDelayMs({ schedule_ms, attempts: 1, random: 0.5, retry_after_s: 60 })).toBe(60_000)
  })
})

describe('a duration', () => {
  it.each([
    ['5s', 5000],
    ['5m', 300_000],
    ['14h', 14 * HOUR_MS],
    ['2d', 48 * HOUR_MS],
  ])('%s is %i milliseconds', (text, expected) => {
    expect(durationMs(text)).toBe(expected)
  })

  it.each(['', '5', 's', '0s', '-5s', '1.5h', '5 s', '5S', '5w', '1234567s'])(
    'is not written %j',
    (text) => {
      expect(durationMs(text)).toBeUndefined()
    },
  )
})
