import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase, testClickHouse } from '../../../test/database.ts'
import type { ClickHouse } from '../clickhouse/client.ts'
import { EngineRefusal, EngineUnavailable } from '../clickhouse/errors.ts'
import { createRowWriter, uuidBytes } from '../clickhouse/row-binary.ts'
import type { Dispatcher } from '../dispatch/index.ts'
import { createIds } from '../ids.ts'
import { createLog } from '../log.ts'
import { createFlusher, type FlusherOptions } from './flusher.ts'
import { createFindMissing } from './missing.ts'
import {
  claimFlush,
  encodeRows,
  insertSpoolRows,
  readBacklog,
  readFlush,
  type SpoolRow,
} from './store.ts'

// A database of its own, because flushers claim the rows of all organizations.
const db = ownDatabase()
const log = createLog('silent')
const clickhouse = testClickHouse()

const newId = createIds()
let org_id = ''
const running: Dispatcher[] = []
beforeEach(async () => {
  org_id = randomUUID()
  await sql`delete from analytics_spool`.execute(db)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(async (flusher) => await flusher.stop(5000)))
})

function start(given: Partial<FlusherOptions> = {}): Dispatcher {
  const flusher = createFlusher({
    db,
    clickhouse,
    log,
    target: 'edge_logs',
    deadline_ms: 10_000,
    ...given,
  })
  running.push(flusher)
  flusher.start()
  return flusher
}

const lineOf = (message: string, day = '2026-03-01') =>
  `${JSON.stringify({
    org_id,
    mode: 'live',
    received_at: `${day} 12:00:00.000`,
    id: newId(new Date()),
    timestamp_ms: 1_772_366_400_000,
    device_id: 'till',
    level: 'info',
    message,
  })}\n`

const BINARY = {
  columns: ['org_id', 'mode', 'id', 'received_at', 'timestamp_ms', 'level', 'device_id', 'message'],
  shape: { fixed_bytes: 50, texts: 2, lists: 0 },
}

function binaryRowOf(message: string, received_at = '2026-03-01T12:00:00Z'): SpoolRow {
  const row = createRowWriter()
  row.fixed(uuidBytes(org_id))
  row.byte(1)
  row.fixed(uuidBytes(randomUUID()))
  row.integer(Date.parse(received_at))
  row.integer(-1)
  row.byte(2)
  for (const text of ['till', message]) row.text(text)
  return { ...rowOf(''), payload: row.take(), shape: BINARY.shape }
}

const rowOf = (text: string): SpoolRow => ({
  org_id,
  id: newId(new Date()),
  mode: 'live',
  target: 'edge_logs',
  entries: 1,
  payload: Buffer.from(text),
})
const spool = async (...texts: string[]) =>
  await insertSpoolRows(await encodeRows(texts.map(rowOf))).execute(db)

async function stored(): Promise<string[]> {
  const rows = await clickhouse.query<{ message: string }>(
    'select message from edge_logs where org_id = {org_id:UUID} order by message',
    { org_id },
  )
  return rows.map(({ message }) => message)
}

const until = async (check: () => void | Promise<void>) =>
  await vi.waitFor(check, { timeout: 45_000, interval: 50 })
const nothingWaits = async () => await until(async () => expect(await readBacklog(db)).toEqual([]))

type Insert = ClickHouse['insert']

/** Wraps the real engine, so that a test can act before or after an insert. */
const engineWith = (insert: (...given: Parameters<Insert>) => Promise<void>) => ({
  clickhouse: { insert },
})

describe('the flusher', () => {
  it('inserts waiting rows in one block and leaves nothing waiting', async () => {
    const tokens: string[] = []
    const sizes: number[] = []
    await spool(lineOf('a') + lineOf('b'), lineOf('c'), lineOf('ü 🐎'))
    start(
      engineWith(async (table, lines, token, signal) => {
        tokens.push(token)
        sizes.push(lines.length)
        await clickhouse.insert(table, lines, token, signal)
      }),
    )
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b', 'c', 'ü 🐎'])
    expect(sizes).toEqual([3])
    expect(new Set(tokens).size).toBe(1)
  })

  it('keeps flushed rows for the live tail', async () => {
    await spool(lineOf('a'))
    start()
    await nothingWaits()
    expect(await db.selectFrom('analytics_spool').select('id').execute()).toHaveLength(1)
  })

  it('stores one copy if it is killed after the insert and before recording it', async () => {
    await spool(lineOf('a'), lineOf('b'))
    const query = {
      target: 'edge_logs' as const,
      flush_id: randomUUID(),
      lease_id: randomUUID(),
      lease_ms: 0,
      entries_min: 1,
      oldest_ms: 0,
      entries_max: 100,
      bytes_max: 10_000,
      rows_max: 100,
      failing_attempts_max: 6,
      failing_flushes_max: 4,
    }
    await claimFlush(db, query)
    const lines = await readFlush(db, query.flush_id)
    await clickhouse.insert(
      'edge_logs',
      lines.map(({ rows }) => rows),
      query.flush_id,
      AbortSignal.timeout(10_000),
    )
    expect(await stored()).toEqual(['a', 'b'])
    await spool(lineOf('c'))
    start()
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b', 'c'])
  })

  it('sends the same block under the same id until the engine is available', async () => {
    const sent: string[] = []
    await spool(lineOf('a'), lineOf('b'))
    start(
      engineWith(async (table, lines, token, signal) => {
        sent.push(`${token} ${lines.join('')}`)
        // The second time the block was inserted and only the response was lost.
        if (sent.length > 1) await clickhouse.insert(table, lines, token, signal)
        if (sent.length < 3) throw new EngineUnavailable('unavailable')
      }),
    )
    await nothingWaits()
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(1)
    expect(await stored()).toEqual(['a', 'b'])
  })

  it('sends rows again that a killed engine recorded but lost', async () => {
    await spool(lineOf('a'), lineOf('b') + lineOf('c', '2026-03-02'), lineOf('d', '2026-03-02'))
    let sent = 0
    start({
      findMissing: createFindMissing(clickhouse),
      ...engineWith(async (table, lines, token, signal) => {
        sent += 1
        await clickhouse.insert(table, lines, token, signal)
        if (sent > 1) return
        // The rows are deleted, but their block stays recorded.
        await clickhouse.command(
          `alter table edge_logs delete where org_id = {org_id:UUID} and received_on = '2026-03-02'
          settings mutations_sync = 1`,
          { org_id },
        )
        throw new EngineUnavailable('killed')
      }),
    })
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('sends binary rows again that a killed engine recorded but lost', async () => {
    const rows = ['a', 'b'].map((text, day) => binaryRowOf(text, `2026-03-0${day + 1}T12:00:00Z`))
    await insertSpoolRows(await encodeRows(rows)).execute(db)
    let sent = 0
    start({
      columns: BINARY.columns,
      findMissing: createFindMissing(clickhouse),
      ...engineWith(async (table, pieces, token, signal, format) => {
        sent += 1
        await clickhouse.insert(table, pieces, token, signal, format)
        if (sent > 1) return
        await clickhouse.command(
          `alter table edge_logs delete where org_id = {org_id:UUID} and received_on = '2026-03-02'
          settings mutations_sync = 1`,
          { org_id },
        )
        throw new EngineUnavailable('killed')
      }),
    })
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b'])
  })

  it('sends lines of an earlier version and binary rows in separate blocks', async () => {
    await spool(lineOf('a'), lineOf('b'))
    const rows = ['c', 'd'].map((text) => binaryRowOf(text))
    await insertSpoolRows(await encodeRows(rows)).execute(db)
    const formats: unknown[] = []
    start({
      columns: BINARY.columns,
      ...engineWith(async (table, pieces, token, signal, format) => {
        formats.push(format)
        await clickhouse.insert(table, pieces, token, signal, format)
      }),
    })
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b', 'c', 'd'])
    expect(new Set(formats)).toEqual(new Set([undefined, 'RowBinary']))
  })

  it('keeps a refused row without delaying others', async () => {
    const good = Array.from({ length: 9 }, (_, index) => lineOf(`good ${index}`))
    const bad = lineOf('bad').replace('"level":"info"', '"level":"loud"')
    await spool(...good.slice(0, 4), bad, ...good.slice(4))
    start()
    await until(async () => {
      const refused = [{ rows: 1, refused_rows: 1 }]
      expect(await readBacklog(db)).toMatchObject(refused)
    })
    expect(await stored()).toEqual(good.map((_, index) => `good ${index}`))
    expect((await readBacklog(db))[0]?.refusal).toMatch(/^Code \d+/)
    await spool(lineOf('later'))
    await until(async () => expect(await stored()).toContain('later'))
  })

  it('retries after a refusal that is not about the rows', async () => {
    let attempts = 0
    await spool(lineOf('a'), lineOf('b'))
    start(
      engineWith(async (table, lines, token, signal) => {
        attempts += 1
        if (attempts === 1) throw new EngineRefusal(252, 'Too many parts')
        if (attempts === 2) throw new EngineRefusal(60, 'Unknown table')
        expect(lines).toHaveLength(2)
        await clickhouse.insert(table, lines, token, signal)
      }),
    )
    await nothingWaits()
    expect(await stored()).toEqual(['a', 'b'])
  })

  it('aborts an insert that hangs at the deadline and retries', async () => {
    let attempts = 0
    await spool(lineOf('a'))
    start({
      deadline_ms: 100,
      ...engineWith(async (table, lines, token, signal) => {
        attempts += 1
        if (attempts > 1) {
          await clickhouse.insert(table, lines, token, AbortSignal.timeout(10_000))
          return
        }
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new EngineUnavailable('too slow')))
        })
      }),
    })
    await nothingWaits()
    expect(attempts).toBe(2)
    expect(await stored()).toEqual(['a'])
  })

  it('releases unsent rows when it stops, so that another one sends them immediately', async () => {
    await spool(lineOf('a'))
    let began = () => undefined as void
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve
    })
    const hanging = start(
      engineWith(async (_table, _lines, _token, signal) => {
        began()
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new EngineUnavailable('stopped')))
        })
      }),
    )
    await hasBegun
    await hanging.stop(0)
    const rows = await db.selectFrom('analytics_spool').selectAll().execute()
    expect(rows).toMatchObject([{ lease_id: null, attempts: 1, flushed_at: null }])
    start()
    await nothingWaits()
    expect(await stored()).toEqual(['a'])
  })

  it('shares the work with other flushers without storing anything twice', async () => {
    const messages = Array.from({ length: 300 }, (_, index) => `m${String(index).padStart(3, '0')}`)
    const flushers = [start(), start(), start()]
    for (let index = 0; index < messages.length; index += 10) {
      await spool(...messages.slice(index, index + 10).map((message) => lineOf(message)))
      for (const flusher of flushers) flusher.hint()
    }
    await nothingWaits()
    expect(await stored()).toEqual(messages)
  })

  it('reports the outcome of each attempt', async () => {
    const outcomes: string[] = []
    let attempts = 0
    await spool(lineOf('a'))
    start({
      observe: ({ outcome, entries }) => outcomes.push(`${outcome} ${entries}`),
      ...engineWith(async () => {
        attempts += 1
        await Promise.resolve()
        if (attempts === 1) throw new EngineUnavailable('unavailable')
      }),
    })
    await nothingWaits()
    expect(outcomes).toEqual(['away 1', 'arrived 1'])
  })
})
