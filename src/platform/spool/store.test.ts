import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createIds } from '../ids.ts'
import {
  claimFlush,
  encodeRows,
  type FlushQuery,
  insertSpoolRows,
  markFlushed,
  readBacklog,
  readFlush,
  readRecentBatches,
  readWaitingBytes,
  releaseFlush,
  type SpoolRow,
  splitFlush,
  sweepFlushed,
} from './store.ts'

// A database of its own, because claims take the rows of all organizations.
const db = ownDatabase()
const newId = createIds()
const ORG = randomUUID()

/** Ids that are ordered by creation, which real ids are not within a millisecond. */
let madeAt = Date.now()
const nextId = (): string => {
  madeAt += 1
  return newId(new Date(madeAt))
}

const rowOf = (text: string, given: Partial<SpoolRow> = {}): SpoolRow => ({
  org_id: ORG,
  id: nextId(),
  mode: 'live',
  target: 'edge_logs',
  entries: 1,
  payload: Buffer.from(`${text}\n`),
  ...given,
})

async function spool(...rows: SpoolRow[]): Promise<SpoolRow[]> {
  await insertSpoolRows(await encodeRows(rows)).execute(db)
  return rows
}

const queryOf = (given: Partial<FlushQuery> = {}): FlushQuery => ({
  target: 'edge_logs',
  flush_id: randomUUID(),
  lease_id: randomUUID(),
  lease_ms: 60_000,
  entries_min: 1,
  oldest_ms: null,
  entries_max: 1000,
  bytes_max: 1_000_000,
  rows_max: 100,
  failing_attempts_max: 6,
  failing_flushes_max: 4,
  ...given,
})
const claim = async (given: Partial<FlushQuery> = {}) => await claimFlush(db, queryOf(given))
const textsOf = async (flushId: string) =>
  (await readFlush(db, flushId)).map(({ rows }) => String(rows))
const empty = async () => await sql`delete from analytics_spool`.execute(db)
const NOW = { delay_ms: 0, refusal: null }

async function claimed(given: Partial<FlushQuery> = {}) {
  const flush = await claim(given)
  if (!flush) throw new Error('nothing was claimed')
  return flush
}

describe('a new flush', () => {
  it('is created when enough entries wait or the oldest has waited long enough', async () => {
    await empty()
    await spool(rowOf('a', { entries: 4 }), rowOf('b', { entries: 5 }))
    expect(await claim({ entries_min: 10 })).toBeUndefined()
    expect(await claim({ entries_min: 10, oldest_ms: 60_000 })).toBeUndefined()
    expect(await claim({ entries_min: 10, oldest_ms: 0 })).toMatchObject({ rows: 2, entries: 9 })
    await spool(rowOf('c', { entries: 10 }))
    expect(await claim({ entries_min: 10 })).toMatchObject({ rows: 1, entries: 10, attempts: 1 })
  })

  it('contains the oldest rows within its limits, and at least one', async () => {
    await empty()
    await spool(...['a', 'b', 'c', 'd', 'e'].map((text) => rowOf(text, { entries: 400 })))
    const first = await claimed({ entries_max: 900 })
    expect(await textsOf(first.flush_id)).toEqual(['a\n', 'b\n'])
    expect(await claim({ entries_max: 100 })).toMatchObject({ rows: 1 })
    expect(await claim({ bytes_max: 1 })).toMatchObject({ rows: 1 })
    await spool(rowOf('f'), rowOf('g'))
    expect(await claim({ rows_max: 2 })).toMatchObject({ rows: 2 })
    expect(await claim()).toMatchObject({ rows: 1 })
    expect(await claim()).toBeUndefined()
  })

  it('contains rows of its target only', async () => {
    await empty()
    await spool(rowOf('log'), rowOf('event', { target: 'rum_events' }))
    const of = async (target: string) => await textsOf((await claimed({ target })).flush_id)
    expect(await of('rum_events')).toEqual(['event\n'])
    expect(await of('edge_logs')).toEqual(['log\n'])
  })

  it('contains each row once under concurrent claims', async () => {
    await empty()
    await spool(...Array.from({ length: 60 }, (_, index) => rowOf(`row ${index}`)))
    const flushes = await Promise.all(
      Array.from({ length: 20 }, async () => await claim({ rows_max: 7 })),
    )
    for (;;) {
      const flush = await claim({ rows_max: 7 })
      if (!flush) break
      flushes.push(flush)
    }
    const texts = await Promise.all(
      flushes.map(async (flush) => (flush ? await textsOf(flush.flush_id) : [])),
    )
    expect(texts.flat()).toHaveLength(60)
    expect(new Set(texts.flat()).size).toBe(60)
  })
})

describe('a flush whose lease has expired', () => {
  it('is claimed again under its id, with the same rows in the same order', async () => {
    await empty()
    await spool(rowOf('ü'), rowOf('b'), rowOf('c'))
    const first = await claimed({ lease_ms: 0 })
    const texts = await textsOf(first.flush_id)
    await spool(rowOf('later'))
    const again = await claimed({ lease_ms: 0 })
    expect(again).toMatchObject({ flush_id: first.flush_id, rows: 3, attempts: 2 })
    expect(again.lease_id).not.toBe(first.lease_id)
    expect(await textsOf(again.flush_id)).toEqual(texts)
    expect(texts).toEqual(['ü\n', 'b\n', 'c\n'])
  })

  it('is claimed as a whole by one of many', async () => {
    await empty()
    await spool(...Array.from({ length: 50 }, (_, index) => rowOf(`row ${index}`)))
    const first = await claimed({ lease_ms: 0 })
    const claims = await Promise.all(Array.from({ length: 12 }, async () => await claim()))
    const got = claims.filter((flush) => flush !== undefined)
    expect(got).toMatchObject([{ flush_id: first.flush_id, rows: 50, attempts: 2 }])
  })

  it('is released only by its current lease but marked as flushed by any', async () => {
    await empty()
    await spool(rowOf('a'))
    const late = await claimed({ lease_ms: 0 })
    const now = await claimed()
    await releaseFlush(db, late, NOW)
    await splitFlush(db, late, [randomUUID(), randomUUID()])
    expect(await claim()).toBeUndefined()
    expect(await textsOf(now.flush_id)).toEqual(['a\n'])
    await markFlushed(db, late.flush_id)
    expect(await textsOf(now.flush_id)).toEqual([])
    await releaseFlush(db, now, NOW)
    expect(await claim()).toBeUndefined()
  })
})

describe('flushes that fail', () => {
  it('are due again after their delay and prevent new ones until then', async () => {
    await empty()
    await spool(rowOf('a'))
    const failed = await claimed()
    await releaseFlush(db, failed, { ...NOW, delay_ms: 60_000 })
    await spool(rowOf('b'))
    expect(await claim()).toBeUndefined()
    await sql`update analytics_spool set leased_until = now() where flush_id = ${failed.flush_id}`.execute(
      db,
    )
    const again = await claimed()
    expect(again).toMatchObject({ flush_id: failed.flush_id, attempts: 2 })
    expect(await claim()).toBeUndefined()
    await markFlushed(db, again.flush_id)
    expect(await textsOf((await claimed()).flush_id)).toEqual(['b\n'])
  })

  it('do not prevent new ones after many attempts, unless there are many', async () => {
    await empty()
    const tried = { failing_attempts_max: 0, failing_flushes_max: 2 }
    await spool(rowOf('a'))
    await releaseFlush(db, await claimed(), { ...NOW, delay_ms: 60_000 })
    await spool(rowOf('b'))
    await releaseFlush(db, await claimed(tried), { ...NOW, delay_ms: 60_000 })
    await spool(rowOf('c'))
    expect(await claim(tried)).toBeUndefined()
    expect(await claim({ ...tried, failing_flushes_max: 3 })).toMatchObject({ rows: 1 })
  })

  it('because of a refused row prevent nothing and are counted', async () => {
    await empty()
    await spool(rowOf('bad'))
    const refused = { delay_ms: 60_000, refusal: 'cannot be parsed' }
    await releaseFlush(db, await claimed(), refused)
    await spool(rowOf('good'))
    expect(await claim()).toMatchObject({ rows: 1 })
    expect(await readBacklog(db)).toMatchObject([
      { target: 'edge_logs', rows: 2, refused_rows: 1, refusal: 'cannot be parsed' },
    ])
  })

  it('are split in the middle, and each half is due immediately', async () => {
    await empty()
    await spool(...['a', 'b', 'c', 'd', 'e'].map((text) => rowOf(text)))
    const halves: [string, string] = [randomUUID(), randomUUID()]
    await splitFlush(db, await claimed(), halves)
    expect(await Promise.all(halves.map(textsOf))).toEqual([
      ['a\n', 'b\n', 'c\n'],
      ['d\n', 'e\n'],
    ])
    const claims = [await claimed(), await claimed()]
    expect(claims.map(({ flush_id }) => flush_id).toSorted()).toEqual(halves.toSorted())
    expect(claims.map(({ attempts }) => attempts)).toEqual([1, 1])
  })

  it('count every attempt, because the engine may have begun to insert them', async () => {
    await empty()
    await spool(rowOf('a'))
    await releaseFlush(db, await claimed(), NOW)
    expect(await claim()).toMatchObject({ attempts: 2 })
  })
})

describe('the backlog', () => {
  it('is returned by target with its age, and its bytes immediately', async () => {
    await empty()
    const [log] = await spool(
      rowOf('log', { entries: 3 }),
      rowOf('event', { target: 'rum_events' }),
    )
    await claimed({ target: 'rum_events' })
    const bytes = 'log\nevent\n'.length
    expect(await readWaitingBytes(db)).toEqual({
      total: bytes,
      by_organization: new Map([[ORG, bytes]]),
    })
    await sql`update analytics_spool set created_at = created_at - interval '90 seconds'
      where id = ${log?.id}`.execute(db)
    const backlog = await readBacklog(db)
    expect(backlog).toMatchObject([
      { target: 'edge_logs', rows: 1, entries: 3, bytes: 4, refused_rows: 0, refusal: null },
      { target: 'rum_events', rows: 1 },
    ])
    expect(backlog[0]?.oldest_waiting_seconds).toBeGreaterThanOrEqual(90)
    await markFlushed(db, (await claimed()).flush_id)
    expect(await readWaitingBytes(db)).toMatchObject({ total: 'event\n'.length })
  })
})

describe('a flushed row', () => {
  it('is kept for a while and then deleted', async () => {
    await empty()
    await spool(rowOf('a'))
    await markFlushed(db, (await claimed()).flush_id)
    await spool(rowOf('waits'))
    expect(await sweepFlushed(db)).toBe(0)
    await sql`update analytics_spool set flushed_at = flushed_at - interval '11 seconds'`.execute(
      db,
    )
    expect(await sweepFlushed(db)).toBe(1)
    expect(await readBacklog(db)).toMatchObject([{ rows: 1 }])
  })

  it('can be read for a while together with waiting ones, once and by organization', async () => {
    await empty()
    const began = new Date(Date.now() - 5000)
    const other = randomUUID()
    const rows = await spool(rowOf('a'), rowOf('b'), rowOf('other', { org_id: other }))
    await markFlushed(db, (await claimed({ rows_max: 1 })).flush_id)
    await spool(rowOf('event', { target: 'rum_events' }), rowOf('test', { mode: 'test' }))
    type Options = Partial<Parameters<typeof readRecentBatches>[3]>
    const read = async (orgs: string[], options: Options = {}) =>
      (await readRecentBatches(db, orgs, began, { target: 'edge_logs', ...options })).map(
        ({ payload }) => String(payload.rows),
      )
    expect(await read([ORG])).toEqual(['a\n', 'b\n', 'test\n'])
    expect(await read([other, ORG])).toHaveLength(4)
    expect(await read([randomUUID()])).toEqual([])
    expect(await read([ORG], { seen: rows.map(({ id }) => id) })).toEqual(['test\n'])
    expect(await read([ORG], { bytes_max: 4 })).toEqual(['a\n', 'b\n'])
    expect(await read([ORG], { bytes_max: 1 })).toEqual(['a\n'])
    await sql`update analytics_spool set created_at = created_at - interval '1 hour'`.execute(db)
    expect(await read([ORG])).toEqual([])
  })
})
