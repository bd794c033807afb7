import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assessVelocity,
  VELOCITY_KINDS,
  type VelocityCounts,
  type VelocityKind,
} from './velocity.ts'

/** Counts after a burst of `n` at one moment, after a steady past. */
function burst(n: number, pastPerDay = 0): VelocityCounts {
  const past = (halfLifeDays: number) => (pastPerDay * halfLifeDays) / Math.LN2
  return {
    count_5m: n + past(5 / 1440),
    count_1h: n + past(1 / 24),
    count_1d: n + past(1),
    count_7d: n + past(7),
  }
}

const scoreOf = (kind: VelocityKind, counts: VelocityCounts) =>
  assessVelocity({ kind, counts })?.score ?? 0

describe('velocity', () => {
  it.each([1, 2])('finds nothing in %d checks of an e-mail in five minutes', (n) => {
    expect(scoreOf('email', burst(n))).toBe(0)
  })

  it('stays below 50 for a sign-up with retries, and exceeds it with five checks', () => {
    expect(scoreOf('email', burst(3))).toBeLessThan(50)
    expect(scoreOf('email', burst(5))).toBeGreaterThanOrEqual(50)
    expect(scoreOf('email', burst(10))).toBeGreaterThanOrEqual(75)
  })

  it('excuses a device that was always busy', () => {
    const busy = burst(3, 400)
    expect(scoreOf('device', busy)).toBeLessThan(
      scoreOf('device', burst(Math.round(busy.count_5m))),
    )
    expect(scoreOf('device', burst(0, 200))).toBe(0)
  })

  it('never lets a busy address alone bring a check to medium', () => {
    expect(0.8 * scoreOf('ip', burst(1e6))).toBeLessThan(25)
  })

  it('does not excuse ten checks of one e-mail in five minutes, however busy the past', () => {
    expect(scoreOf('email', burst(10, 2000))).toBeGreaterThanOrEqual(75)
  })

  it('lets many people share an address or a company domain', () => {
    expect(scoreOf('ip', burst(15))).toBe(0)
    expect(scoreOf('email_domain', burst(40))).toBe(0)
    expect(scoreOf('ip', burst(200))).toBeGreaterThan(0)
  })

  it('reports the counts of the worst window', () => {
    const found = assessVelocity({ kind: 'phone', counts: burst(12) })
    expect(found).toMatchObject({ signal: 'velocity', finding: 'phone_velocity' })
    expect(found?.detail).toMatch(/^Seen 12 times within 5 minutes; fewer than 0\.1 are usual\.$/)
  })

  it('is an integer from 0 to 100 and never decreases when all counts grow', () => {
    const count = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(...VELOCITY_KINDS), count, (kind, n) => {
        const score = scoreOf(kind, burst(n))
        expect(Number.isInteger(score)).toBe(true)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(100)
        expect(scoreOf(kind, burst(n + 1))).toBeGreaterThanOrEqual(score)
      }),
    )
  })
})
