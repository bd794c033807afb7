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
const AT_ONCE = () => createLookupDeadline(0)

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
  const ask = async (
    answer: () => Promise<Lookup<{ n: number }>>,
    deadline = IN_TIME(),
    source = SOURCE,
  ) => {
    const stored = await cache.read([{ kind: source.kind, key }])
    const counted = () => {
      fetches += 1
      return answer()
    }
    return await cache.resolve(source, key, counted, stored, deadline)
  }
  return {
    cache,
    ask,
    fetches: () => fetches,
    pass: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000)
    },
  }
}

const answering = (n: number) => () => Promise.resolve(known({ n }))
const away = () => Promise.resolve(unknown('timeout'))

describe('look-up cache', () => {
  it('asks once and remembers until the answer expires', async () => {
    const { ask, fetches, pass } = setUp()
    expect(await ask(answering(1))).toEqual(known({ n: 1 }))
    expect(await ask(answering(2))).toEqual(known({ n: 1 }))
    expect(fetches()).toBe(1)
    pass(61)
    expect(await ask(answering(2))).toEqual(known({ n: 2 }))
  })

  it('shares one look-up among concurrent requests', async () => {
    const { ask, fetches } = setUp()
    let release: (answer: Lookup<{ n: number }>) => void = () => undefined
    const slow = () => new Promise<Lookup<{ n: number }>>((resolve) => (release = resolve))
    const asked = Array.from({ length: 10 }, () => ask(slow))
    while (fetches() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 30))
    release(known({ n: 3 }))
    expect(await Promise.all(asked)).toEqual(asked.map(() => known({ n: 3 })))
    expect(fetches()).toBe(1)
  })

  it('answers unknown at the deadline, and the late answer warms the cache', async () => {
    const { ask, cache, fetches } = setUp()
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return known({ n: 4 })
    }
    expect(await ask(late, AT_ONCE())).toEqual(unknown('timeout'))
    await cache.drain()
    expect(await ask(answering(0), AT_ONCE())).toEqual(known({ n: 4 }))
    expect(fetches()).toBe(1)
  })

  it('lets an expired answer go, however long the provider is away', async () => {
    const { ask, pass } = setUp()
    await ask(answering(5))
    pass(61)
    expect(await ask(away)).toEqual(unknown('timeout'))
    expect(await ask(answering(6))).toEqual(unknown('timeout'))
    pass(3600)
    expect(await ask(answering(6))).toEqual(known({ n: 6 }))
  })

  it('keeps an answer that cannot have changed, through any number of failures', async () => {
    const { ask, pass } = setUp()
    const lasting = { ...SOURCE, outlives_expiry: ({ n }: { n: number }) => n > 0 }
    await ask(answering(5), IN_TIME(), lasting)
    for (let failures = 0; failures < 3; failures += 1) {
      pass(3600)
      expect(await ask(away, IN_TIME(), lasting)).toEqual(known({ n: 5 }))
      expect(await ask(answering(6), IN_TIME(), lasting)).toEqual(known({ n: 5 }))
    }
    pass(3600)
    expect(await ask(answering(0), IN_TIME(), lasting)).toEqual(known({ n: 0 }))
    pass(3600)
    expect(await ask(away, IN_TIME(), lasting)).toEqual(unknown('timeout'))
  })

  it('remembers why it does not know', async () => {
    const { ask } = setUp()
    const refused = () => Promise.resolve(unknown('refused'))
    expect(await ask(refused)).toEqual(unknown('refused'))
    expect(await ask(answering(1))).toEqual(unknown('refused'))
  })

  it('does not ask again right after a failure', async () => {
    const { ask, fetches, pass } = setUp()
    expect(await ask(away)).toEqual(unknown('timeout'))
    expect(await ask(answering(7))).toEqual(unknown('timeout'))
    expect(fetches()).toBe(1)
    pass(31)
    expect(await ask(answering(7))).toEqual(known({ n: 7 }))
  })

  it('treats a source that throws as one that gave a bad answer', async () => {
    const { ask } = setUp()
    const broken = () => Promise.reject(new Error('broken'))
    expect(await ask(broken)).toEqual(unknown('bad_answer'))
  })

  it('merges an answer with the one before it', async () => {
    const { ask, pass } = setUp()
    const adding: LookupSource<{ n: number }> = {
      ...SOURCE,
      merge: (previous, next) => ({ n: (previous?.value.n ?? 0) + next.n }),
    }
    expect(await ask(answering(1), IN_TIME(), adding)).toEqual(known({ n: 1 }))
    pass(61)
    expect(await ask(answering(2), IN_TIME(), adding)).toEqual(known({ n: 3 }))
  })
})
