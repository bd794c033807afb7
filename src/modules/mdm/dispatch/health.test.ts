import { describe, expect, it } from 'vitest'
import type { ProviderFault } from '../providers/port.ts'
import { createHealth } from './health.ts'
import type { Outcome } from './job.ts'

const failed = (kind: ProviderFault['kind']): Outcome => ({
  kind: 'fault',
  fault: { kind, message: '', is_ambiguous: true },
})
const KIND = 'issue_command'
const ALL = Number.POSITIVE_INFINITY

/** After failures one after another, at the given times. */
const after = (times: readonly number[], kind: ProviderFault['kind'] = 'unavailable') => {
  const health = createHealth()
  for (const at of times) health.note(KIND, failed(kind), at)
  return health
}

describe('while the provider is away', () => {
  it('one is tried now and then, ever more seldom, at least twice a minute', () => {
    expect(after([0, 0]).placesFor(KIND, 0)).toBe(ALL)
    const health = after([0, 0, 0])
    expect(health.placesFor(KIND, 999)).toBe(0)
    expect(health.placesFor(KIND, 1000)).toBe(1)
    health.note(KIND, failed('unavailable'), 1000)
    expect(health.placesFor(KIND, 2999)).toBe(0)
    expect(health.placesFor(KIND, 3000)).toBe(1)
    for (let at = 3000; at < 900_000; at += 30_000) health.note(KIND, failed('unavailable'), at)
    expect(health.placesFor(KIND, 930_000)).toBe(1)
  })

  it('those that fail together count as one', () => {
    const health = after(Array.from({ length: 32 }, () => 0))
    expect(health.placesFor(KIND, 1000)).toBe(1)
  })

  it('the first that gets through lets all others go', () => {
    const health = after([0, 0, 0])
    health.note(KIND, { kind: 'assigned' }, 10)
    expect(health.placesFor(KIND, 10)).toBe(ALL)
  })

  it('other kinds are not held back', () => {
    expect(after([0, 0, 0]).placesFor('publish_policy', 0)).toBe(ALL)
  })

  it('attempts in which it was not asked say nothing', () => {
    const health = after([0, 0, 0])
    for (const outcome of [
      { kind: 'stopped' },
      { kind: 'expired' },
      failed('rate_limited'),
    ] as const) {
      expect(health.note(KIND, outcome, 0)).toBeUndefined()
    }
    expect(health.placesFor(KIND, 0)).toBe(0)
  })

  it('that it went, and that it is back, is told once each', () => {
    const health = createHealth()
    const told = [0, 0, 0, 1000, 4000].map((at) => health.note(KIND, failed('unavailable'), at))
    expect(told).toEqual([undefined, undefined, 'away', undefined, undefined])
    const well = [5000, 5001].map((at) => health.note(KIND, { kind: 'assigned' }, at))
    expect(well).toEqual(['back', undefined])
    expect(health.note(KIND, failed('unavailable'), 6000)).toBeUndefined()
    expect(health.note(KIND, { kind: 'assigned' }, 6001)).toBeUndefined()
  })
})

it.each(['rejected', 'not_found', 'rate_limited'] as const)(
  'a provider that says %s is there',
  (kind) => {
    expect(after([0, 0, 0, 0], kind).placesFor(KIND, 0)).toBe(ALL)
  },
)
