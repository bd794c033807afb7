import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createLog } from '../log.ts'
import { known, type Lookup, unknown } from '../lookup.ts'
import { createMetrics } from '../metrics.ts'
import { createLookupCache, createLookupDeadline, type LookupSource } from './index.ts'

const db = testDatabase()
const SOURCE: LookupSource<{ n: number }> = { kind: 'test', ttl_seconds: () => 60 }
const IN_TIME = () => createLookupDeadline(10_000)
const IMMEDIATELY = () => createLookupDeadline(0)

function setUp(start = '2026-03-01T12:00:00Z') {
  let now = new Date(start)
  const cache = createLookupCache({
    db,
    clock: { now: () => now },
    log: createLog('silent'),
    metrics: createMetrics(),
    timeout_ms: 1000,
  })
  const key = randomUUID()
  let fetches = 0
  const lookUp = async (
    answer: () => Promise<Lookup<{ n: number }>>,
    deadline = IN_TIME(),
    source = SOURCE,
  ) => {
    const stored = await cache.read([{ kind: source.kind, key }])
    const counted = () => {
      fetches += 1
      return answer()
    }
    return await cache.resolve(source, { key, fetch: counted, stored, deadline })
  }
  return {
    cache,
    lookUp,
    fetches: () => fetches,
    pass: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000)
    },
  }
}

const answering = (n: number) => () => Promise.resolve(known({ n }))
const unavailable = () => Promise.resolve(unknown('timeout'))

describe('look-up cache', () => {
  it('queries the provider once until the value expires', async () => {
    const { lookUp, fetches, pass } = setUp()
    expect(await lookUp(answering(1))).toEqual(known({ n: 1 }))
    expect(await lookUp(answering(2))).toEqual(known({ n: 1 }))
    expect(fetches()).toBe(1)
    pass(61)
    expect(await lookUp(answering(2))).toEqual(known({ n: 2 }))
  })

  it('shares one look-up among concurrent requests', async () => {
    const { lookUp, fetches } = setUp()
    let release: (answer: Lookup<{ n: number }>) => void = () => undefined
    const slow = () => new Promise<Lookup<{ n: number }>>((resolve) => (release = resolve))
    const results = Array.from({ length: 10 }, () => lookUp(slow))
    while (fetches() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 30))
    release(known({ n: 3 }))
    expect(await Promise.all(results)).toEqual(results.map(() => known({ n: 3 })))
    expect(fetches()).toBe(1)
  })

  it('returns unknown at the deadline, and the late result fills the cache', async () => {
    const { lookUp, cache, fetches } = setUp()
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return known({ n: 4 })
    }
    expect(await lookUp(late, IMMEDIATELY())).toEqual(unknown('timeout'))
    await cache.drain()
    expect(await lookUp(answering(0), IMMEDIATELY())).toEqual(known({ n: 4 }))
    expect(fetches()).toBe(1)
  })

  it('does not use an expired value while the provider is unavailable', async () => {
    const { lookUp, pass } = setUp()
    await lookUp(answering(5))
    pass(61)
    expect(await lookUp(unavailable)).toEqual(unknown('timeout'))
    expect(await lookUp(answering(6))).toEqual(unknown('timeout'))
    pass(3600)
    expect(await lookUp(answering(6))).toEqual(known({ n: 6 }))
  })

  it('keeps a value that cannot have changed through any number of failures', async () => {
    const { lookUp, pass } = setUp()
    const lasting = { ...SOURCE, outlives_expiry: ({ n }: { n: number }) => n > 0 }
    await lookUp(answering(5), IN_TIME(), lasting)
    for (let failures = 0; failures < 3; failures += 1) {
      pass(3600)
      expect(await lookUp(unavailable, IN_TIME(), lasting)).toEqual(known({ n: 5 }))
      expect(await lookUp(answering(6), IN_TIME(), lasting)).toEqual(known({ n: 5 }))
    }
    pass(3600)
    expect(await lookUp(answering(0), IN_TIME(), lasting)).toEqual(known({ n: 0 }))
    pass(3600)
    expect(await lookUp(unavailable, IN_TIME(), lasting)).toEqual(unknown('timeout'))
  })

  it('caches the reason of a failure', async () => {
    const { lookUp } = setUp()
    const refused = () => Promise.resolve(unknown('refused'))
    expect(await lookUp(refused)).toEqual(unknown('refused'))
    expect(await lookUp(answering(1))).toEqual(unknown('refused'))
  })

  it('does not query the provider again right after a failure', async () => {
    const { lookUp, fetches, pass } = setUp()
    expect(await lookUp(unavailable)).toEqual(unknown('timeout'))
    expect(await lookUp(answering(7))).toEqual(unknown('timeout'))
    expect(fetches()).toBe(1)
    pass(31)
    expect(await lookUp(answering(7))).toEqual(known({ n: 7 }))
  })

  it('treats a source that throws as one with a bad answer', async () => {
    const { lookUp } = setUp()
    const broken = () => Promise.reject(new Error('broken'))
    expect(await lookUp(broken)).toEqual(unknown('bad_answer'))
  })

  it('merges a value with the previous one', async () => {
    const { lookUp, pass } = setUp()
    const adding: LookupSource<{ n: number }> = {
      ...SOURCE,
      merge: (previous, next) => ({ n: (previous?.value.n ?? 0) + next.n }),
    }
    expect(await lookUp(answering(1), IN_TIME(), adding)).toEqual(known({ n: 1 }))
    pass(61)
    expect(await lookUp(answering(2), IN_TIME(), adding)).toEqual(known({ n: 3 }))
  })
})
