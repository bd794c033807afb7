import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../../test/database.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createLog } from '../../../../platform/log.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { Mode } from '../../../../platform/postgres/tables/platform.ts'
import { insertSpoolRows } from '../../../../platform/spool/index.ts'
import type { LogFilters } from '../filters.ts'
import { eventStream } from './event-stream.ts'
import { createTail, type Tail, type TailOptions } from './hub.ts'
import type { Subscription } from './subscription.ts'

const db = testDatabase()
const newId = createIds()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:15:00.000Z')
const WAIT_MS = 10_000

const tails: Tail[] = []
let now = NOON
function openTail(given: Partial<TailOptions> = {}): Tail {
  now = NOON
  const tail = createTail({
    db,
    clock: { now: () => now },
    log: createLog('silent'),
    poll_ms: 10,
    ...given,
  })
  tails.push(tail)
  return tail
}
afterEach(async () => {
  await Promise.all(tails.splice(0).map(async (tail) => await tail.close()))
})

const newScope = (mode: Mode = 'live') => ({ org_id: randomUUID(), mode })
type Scope = ReturnType<typeof newScope>

async function take(scope: Scope, entries: Record<string, unknown>[]): Promise<void> {
  const lines = entries.map(
    (entry) =>
      `${JSON.stringify({
        ...scope,
        id: randomUUID(),
        received_at: '2026-03-01 12:00:00.250',
        timestamp_ms: NOON.getTime(),
        device_id: 'till-1',
        level: 'info',
        message: 'hello',
        ...entry,
      })}\n`,
  )
  const row = {
    ...scope,
    id: newId(new Date()),
    target: 'edge_logs' as const,
    entries: entries.length,
    payload: Buffer.from(lines.join('')),
  }
  await insertSpoolRows([row]).execute(db)
}

function watch(tail: Tail, scope: Scope, filters: LogFilters = {}): Subscription {
  const subscription = tail.watch(scope, filters, LATER)
  if (!subscription) throw new Error('not allowed to watch')
  return subscription
}

/** The database, with something that happens before each query. */
function onEachQuery(before: () => void): Db {
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'getExecutor') before()
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Messages, until so many have come. */
async function messagesOf(subscription: Subscription, count: number): Promise<string[]> {
  const messages: string[] = []
  while (messages.length < count) {
    const delivery = await subscription.next(WAIT_MS)
    if (!delivery) break
    messages.push(...delivery.entries.map(({ message }) => message))
  }
  return messages
}

describe('the live tail', () => {
  it('shows what is taken in, in its order, each entry once', async () => {
    const scope = newScope()
    const subscription = watch(openTail(), scope)
    const messages = Array.from({ length: 12 }, (_, index) => `m${index}`)
    const reading = messagesOf(subscription, messages.length + 1)
    for (let index = 0; index < messages.length; index += 2) {
      await take(
        scope,
        messages.slice(index, index + 2).map((message) => ({ message })),
      )
    }
    await take(scope, [{ message: 'last' }])
    expect(await reading).toEqual([...messages, 'last'])
  })

  it('shows everyone what passes the filters, of the own organisation and mode', async () => {
    const scope = newScope()
    const tail = openTail()
    const all = messagesOf(watch(tail, scope), 3)
    const errors = messagesOf(watch(tail, scope, { levels: ['error'] }), 1)
    const words = messagesOf(watch(tail, scope, { q: 'ZÜRICH' }), 1)
    const others = watch(tail, newScope())
    const testMode = watch(tail, { ...scope, mode: 'test' })
    await take(scope, [
      { message: 'a' },
      { message: 'b', level: 'error' },
      { message: 'Grüezi, zürich' },
    ])
    expect(await all).toEqual(['a', 'b', 'Grüezi, zürich'])
    expect(await errors).toEqual(['b'])
    expect(await words).toEqual(['Grüezi, zürich'])
    expect(await others.next(30)).toBeUndefined()
    expect(await testMode.next(30)).toBeUndefined()
  })

  it('drops the oldest for one who does not keep up, and says how many', async () => {
    const scope = newScope()
    const tail = openTail({ entries_waiting_max: 3 })
    const slow = watch(tail, scope)
    const fast = watch(tail, scope, { q: 'm9' })
    await take(
      scope,
      Array.from({ length: 10 }, (_, index) => ({ message: `m${index}` })),
    )
    expect(await messagesOf(fast, 1)).toEqual(['m9'])
    const delivery = await slow.next(WAIT_MS)
    expect(delivery?.dropped).toBe(7)
    expect(delivery?.entries.map(({ message }) => message)).toEqual(['m7', 'm8', 'm9'])
  })

  it('lets no more watch an organisation than it may have, until one goes', () => {
    const scope = newScope()
    const tail = openTail({ watchers_per_organization_max: 2 })
    const first = watch(tail, scope)
    watch(tail, scope)
    expect(tail.watch(scope, {}, LATER)).toBeUndefined()
    watch(tail, newScope())
    first.close()
    expect(tail.watch(scope, {}, LATER)).toBeDefined()
  })

  it('ends at the time that was named', async () => {
    const subscription = watch(openTail(), newScope())
    now = new Date(LATER.getTime() - 1)
    expect(await subscription.next(50)).toBeUndefined()
    expect(subscription.is_closed).toBe(false)
    now = LATER
    expect(await subscription.next(WAIT_MS)).toBeUndefined()
    expect(subscription.is_closed).toBe(true)
  })

  it('asks the database as often for many as for one, and not at all for nobody', async () => {
    const NEVER_MS = 60_000
    const readsFor = async (watchers: number) => {
      const scopes = Array.from({ length: watchers }, () => newScope())
      for (const scope of scopes) await take(scope, [{ message: 'x' }])
      let reads = 0
      const counted = onEachQuery(() => {
        reads += 1
      })
      const tail = openTail({ db: counted, poll_ms: NEVER_MS })
      const all = scopes.map(async (scope) => await messagesOf(watch(tail, scope), 1))
      expect(await Promise.all(all)).toEqual(scopes.map(() => ['x']))
      await tail.close()
      return reads
    }
    const one = await readsFor(1)
    expect(one).toBeGreaterThan(0)
    expect(await readsFor(15)).toBe(one)
    expect(await readsFor(0)).toBe(0)
  })

  it('goes on when the database was away for a moment', async () => {
    const scope = newScope()
    let failures = 2
    const flaky = onEachQuery(() => {
      if (failures === 0) return
      failures -= 1
      throw new Error('away')
    })
    const subscription = watch(openTail({ db: flaky }), scope)
    await take(scope, [{ message: 'after all' }])
    expect(await messagesOf(subscription, 1)).toEqual(['after all'])
    expect(failures).toBe(0)
  })
})

describe('the stream of events', () => {
  it('tells entries as they are read, drops, and its end', async () => {
    const scope = newScope()
    const tail = openTail({ entries_waiting_max: 1 })
    const subscription = watch(tail, scope)
    const witness = watch(tail, scope, { q: 'two' })
    const stream = eventStream(subscription, WAIT_MS)
    expect((await stream.next()).value).toContain(': connected')
    await take(scope, [
      { message: 'one' },
      { message: 'two\nlines', data: '{"a":1}', category: 'pay' },
    ])
    await messagesOf(witness, 1)
    const text = (await stream.next()).value as string
    const events = text.trim().split('\n\n')
    expect(events[0]).toBe('event: dropped\ndata: {"count":1}')
    const [name, data] = (events[1] ?? '').split('\ndata: ')
    expect(name).toBe('event: log')
    expect(JSON.parse(data ?? '')).toMatchObject({
      message: 'two\nlines',
      data: { a: 1 },
      category: 'pay',
      environment: null,
      error: null,
      tags: [],
      timestamp: NOON.toISOString(),
      received_at: '2026-03-01T12:00:00.250Z',
    })
    const ending = stream.next()
    await tail.close()
    expect((await ending).value).toBe('event: end\ndata: {}\n\n')
    expect((await stream.next()).done).toBe(true)
  })

  it('says now and then that it is still there', async () => {
    const stream = eventStream(watch(openTail(), newScope()), 5)
    await stream.next()
    expect((await stream.next()).value).toBe(': here\n\n')
    await stream.return()
  })

  it('stops watching when who reads it stops', async () => {
    const subscription = watch(openTail(), newScope())
    const stream = eventStream(subscription, 5)
    await stream.next()
    await stream.return()
    expect(subscription.is_closed).toBe(true)
  })
})
