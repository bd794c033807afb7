import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../../test/database.ts'
import { createIds } from '../../../../platform/ids.ts'
import { createLog } from '../../../../platform/log.ts'
import type { Mode } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { encodeRows, insertSpoolRows } from '../../../../platform/spool/index.ts'
import type { LogFilters } from '../filters.ts'
import { eventStream } from './event-stream.ts'
import type { Subscription } from './subscription.ts'
import { createTail, type Tail, type TailOptions } from './tail.ts'

const db = testDatabase()
const newId = createIds()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:15:00.000Z')
const WAIT_MS = 10_000

const tails: Tail[] = []
let now = NOON
function openTail(options: Partial<TailOptions> = {}): Tail {
  now = NOON
  const tail = createTail({
    db,
    clock: { now: () => now },
    log: createLog('silent'),
    poll_ms: 10,
    ...options,
  })
  tails.push(tail)
  return tail
}
afterEach(async () => {
  await Promise.all(tails.splice(0).map(async (tail) => await tail.close()))
})

const newOwner = (mode: Mode = 'live') => ({ org_id: randomUUID(), mode })
type Owner = ReturnType<typeof newOwner>

async function spool(owner: Owner, entries: Record<string, unknown>[]): Promise<void> {
  const lines = entries.map(
    (entry) =>
      `${JSON.stringify({
        ...owner,
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
    ...owner,
    id: newId(new Date()),
    target: 'edge_logs' as const,
    entries: entries.length,
    payload: Buffer.from(lines.join('')),
  }
  await insertSpoolRows(await encodeRows([row])).execute(db)
}

function watch(tail: Tail, owner: Owner, filters: LogFilters = {}): Subscription {
  const subscription = tail.watch(owner, filters, LATER)
  if (!subscription) throw new Error('not allowed to watch')
  return subscription
}

/** Wraps the database and calls `before` before each query. */
function onEachQuery(before: () => void): Db {
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'getExecutor') before()
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Reads messages until `count` have arrived. */
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
  it('shows new entries in order, each once', async () => {
    const owner = newOwner()
    const subscription = watch(openTail(), owner)
    const messages = Array.from({ length: 12 }, (_, index) => `m${index}`)
    const reading = messagesOf(subscription, messages.length + 1)
    for (let index = 0; index < messages.length; index += 2) {
      await spool(
        owner,
        messages.slice(index, index + 2).map((message) => ({ message })),
      )
    }
    await spool(owner, [{ message: 'last' }])
    expect(await reading).toEqual([...messages, 'last'])
  })

  it('shows each viewer the entries of its organization and mode that match its filters', async () => {
    const owner = newOwner()
    const tail = openTail()
    const all = messagesOf(watch(tail, owner), 3)
    const errors = messagesOf(watch(tail, owner, { levels: ['error'] }), 1)
    const words = messagesOf(watch(tail, owner, { q: 'ZÜRICH' }), 1)
    const others = watch(tail, newOwner())
    const testMode = watch(tail, { ...owner, mode: 'test' })
    await spool(owner, [
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

  it('drops the oldest entries for a slow viewer and reports their number', async () => {
    const owner = newOwner()
    const tail = openTail({ entries_waiting_max: 3 })
    const slow = watch(tail, owner)
    const fast = watch(tail, owner, { q: 'm9' })
    await spool(
      owner,
      Array.from({ length: 10 }, (_, index) => ({ message: `m${index}` })),
    )
    expect(await messagesOf(fast, 1)).toEqual(['m9'])
    const delivery = await slow.next(WAIT_MS)
    expect(delivery?.dropped).toBe(7)
    expect(delivery?.entries.map(({ message }) => message)).toEqual(['m7', 'm8', 'm9'])
  })

  it('limits the viewers of an organization until one leaves', () => {
    const owner = newOwner()
    const tail = openTail({ watchers_per_organization_max: 2 })
    const first = watch(tail, owner)
    watch(tail, owner)
    expect(tail.watch(owner, {}, LATER)).toBeUndefined()
    watch(tail, newOwner())
    first.close()
    expect(tail.watch(owner, {}, LATER)).toBeDefined()
  })

  it('ends at the specified time', async () => {
    const subscription = watch(openTail(), newOwner())
    now = new Date(LATER.getTime() - 1)
    expect(await subscription.next(50)).toBeUndefined()
    expect(subscription.is_closed).toBe(false)
    now = LATER
    expect(await subscription.next(WAIT_MS)).toBeUndefined()
    expect(subscription.is_closed).toBe(true)
  })

  it('queries the database as often for many viewers as for one, and not at all without viewers', async () => {
    const NEVER_MS = 60_000
    const readsFor = async (watchers: number) => {
      const owners = Array.from({ length: watchers }, () => newOwner())
      for (const owner of owners) await spool(owner, [{ message: 'x' }])
      let reads = 0
      const counted = onEachQuery(() => {
        reads += 1
      })
      const tail = openTail({ db: counted, poll_ms: NEVER_MS })
      const all = owners.map(async (owner) => await messagesOf(watch(tail, owner), 1))
      expect(await Promise.all(all)).toEqual(owners.map(() => ['x']))
      await tail.close()
      return reads
    }
    const one = await readsFor(1)
    expect(one).toBeGreaterThan(0)
    expect(await readsFor(15)).toBe(one)
    expect(await readsFor(0)).toBe(0)
  })

  it('continues after the database was briefly unavailable', async () => {
    const owner = newOwner()
    let failures = 2
    const flaky = onEachQuery(() => {
      if (failures === 0) return
      failures -= 1
      throw new Error('unavailable')
    })
    const subscription = watch(openTail({ db: flaky }), owner)
    await spool(owner, [{ message: 'after all' }])
    expect(await messagesOf(subscription, 1)).toEqual(['after all'])
    expect(failures).toBe(0)
  })
})

describe('the stream of events', () => {
  it('sends entries as readings return them, drops, and its end', async () => {
    const owner = newOwner()
    const tail = openTail({ entries_waiting_max: 1 })
    const subscription = watch(tail, owner)
    const witness = watch(tail, owner, { q: 'two' })
    const stream = eventStream(subscription, WAIT_MS)
    expect((await stream.next()).value).toContain(': connected')
    await spool(owner, [
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

  it('sends heartbeats while there are no entries', async () => {
    const stream = eventStream(watch(openTail(), newOwner()), 5)
    await stream.next()
    expect((await stream.next()).value).toBe(': here\n\n')
    await stream.return()
  })

  it('closes the subscription when its reader stops', async () => {
    const subscription = watch(openTail(), newOwner())
    const stream = eventStream(subscription, 5)
    await stream.next()
    await stream.return()
    expect(subscription.is_closed).toBe(true)
  })
})
