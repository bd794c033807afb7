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

/** The state after consecutive failures at the given times. */
const after = (times: readonly number[], kind: ProviderFault['kind'] = 'unavailable') => {
  const health = createHealth()
  for (const at of times) health.record(KIND, failed(kind), at)
  return health
}

describe('while the provider is down', () => {
  it('one request at a time is tried, ever more rarely, but at least twice a minute', () => {
    expect(after([0, 0]).placesFor(KIND, 0)).toBe(ALL)
    const health = after([0, 0, 0])
    expect(health.placesFor(KIND, 999)).toBe(0)
    expect(health.placesFor(KIND, 1000)).toBe(1)
    health.record(KIND, failed('unavailable'), 1000)
    expect(health.placesFor(KIND, 2999)).toBe(0)
    expect(health.placesFor(KIND, 3000)).toBe(1)
    for (let at = 3000; at < 900_000; at += 30_000) health.record(KIND, failed('unavailable'), at)
    expect(health.placesFor(KIND, 930_000)).toBe(1)
  })

  it('requests that fail together count as one failure', () => {
    const health = after(Array.from({ length: 32 }, () => 0))
    expect(health.placesFor(KIND, 1000)).toBe(1)
  })

  it('the first success releases all others', () => {
    const health = after([0, 0, 0])
    health.record(KIND, { kind: 'assigned' }, 10)
    expect(health.placesFor(KIND, 10)).toBe(ALL)
  })

  it('other kinds are not held back', () => {
    expect(after([0, 0, 0]).placesFor('publish_policy', 0)).toBe(ALL)
  })

  it('attempts that may not have reached it do not count', () => {
    const health = after([0, 0, 0])
    for (const outcome of [
      { kind: 'stopped' },
      { kind: 'expired' },
      failed('rate_limited'),
    ] as const) {
      expect(health.record(KIND, outcome, 0)).toBeUndefined()
    }
    expect(health.placesFor(KIND, 0)).toBe(0)
  })

  it('both changes of its state are returned once', () => {
    const health = createHealth()
    const changes = [0, 0, 0, 1000, 4000].map((at) =>
      health.record(KIND, failed('unavailable'), at),
    )
    expect(changes).toEqual([undefined, undefined, 'down', undefined, undefined])
    const successes = [5000, 5001].map((at) => health.record(KIND, { kind: 'assigned' }, at))
    expect(successes).toEqual(['up', undefined])
    expect(health.record(KIND, failed('unavailable'), 6000)).toBeUndefined()
    expect(health.record(KIND, { kind: 'assigned' }, 6001)).toBeUndefined()
  })
})

it.each(['rejected', 'not_found', 'rate_limited'] as const)(
  'a provider that answers %s is up',
  (kind) => {
    expect(after([0, 0, 0, 0], kind).placesFor(KIND, 0)).toBe(ALL)
  },
)
