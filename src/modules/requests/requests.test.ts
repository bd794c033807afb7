import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import { createRequestReading } from './reading.ts'
import { type AnsweredRequest, createRequestRecorder, type RequestRecorder } from './recorder.ts'
import { SLOTS } from './slots.ts'
import { EXAMINED_MAX, insertRequests, sweepRequests } from './store.ts'

const START = Date.UTC(2031, 4, 1)

const db = ownDatabase()
const newId = createIds()
let now = START
const clock = { now: () => new Date(now) }
const log = createLog('silent')
const options = { db, clock, newId, log, request_log_per_second: 50 }
const recorder = createRequestRecorder(options)
const reading = createRequestReading({ db, clock })
beforeEach(() => {
  now = START
})

const request = (org_id: string, changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  org_id,
  mode: 'live',
  method: 'POST',
  route: '/v1/check',
  path: '/v1/check',
  status: 200,
  duration_ms: 12.4,
  key_id: '',
  user_id: '',
  ...changes,
})

function record(into: RequestRecorder, entry: AnsweredRequest): void {
  if (into.wants(entry.org_id, entry.status)) into.record(entry)
}

const list = async (
  orgId: string,
  filter: Parameters<typeof reading.list>[1] = {},
  page: { after?: string; limit?: number } = {},
) => await reading.list(orgId, filter, { limit: 50, after: undefined, ...page })
const pathsOf = async (orgId: string, filter: Parameters<typeof reading.list>[1] = {}) =>
  (await list(orgId, filter)).requests.map(({ path }) => path)
const countRows = async (): Promise<number> => {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from request_log`.execute(db)
  return rows[0]?.rows ?? 0
}

describe('the request log', () => {
  it('lists answered requests, newest first, to their own organization only', async () => {
    const [org, other] = [randomUUID(), randomUUID()]
    record(recorder, request(org))
    now += 1500
    record(recorder, request(org, { status: 404, path: `/v1/orders/${'x'.repeat(400)}` }))
    record(recorder, request(other))
    await recorder.flush()
    const { requests, ...rest } = await list(org)
    expect(requests).toMatchObject([
      { at: '2031-05-01T00:00:01.500Z', status: 404, duration_ms: 12 },
      { at: '2031-05-01T00:00:00.000Z', status: 200, mode: 'live', method: 'POST' },
    ])
    expect(requests[0]?.path).toHaveLength(300)
    expect(rest).toEqual({ next_cursor: null, left_out: 0, examined_until: null })
  })

  it('is filtered by status class, method, path, key and mode', async () => {
    const org = randomUUID()
    const key_id = randomUUID()
    record(recorder, request(org, { path: '/a' }))
    record(recorder, request(org, { path: '/b', status: 429 }))
    record(recorder, request(org, { path: '/a%', method: 'GET', mode: 'test' }))
    record(recorder, request(org, { path: '/c', key_id, status: 500 }))
    await recorder.flush()
    expect(await pathsOf(org)).toEqual(['/c', '/a%', '/b', '/a'])
    expect(await pathsOf(org, { status_class: 4 })).toEqual(['/b'])
    expect(await pathsOf(org, { method: 'GET' })).toEqual(['/a%'])
    expect(await pathsOf(org, { path_prefix: '/a' })).toEqual(['/a%', '/a'])
    expect(await pathsOf(org, { path_prefix: '/a%' })).toEqual(['/a%'])
    expect(await pathsOf(org, { key_id })).toEqual(['/c'])
    expect(await pathsOf(org, { mode: 'test' })).toEqual(['/a%'])
    record(recorder, request(org, { path: '/user', mode: null }))
    await recorder.flush()
    expect(await pathsOf(org, { mode: 'live' })).toEqual(['/user', '/c', '/b', '/a'])
  })

  it('is paged without gaps', async () => {
    const org = randomUUID()
    for (let n = 0; n < 5; n += 1) record(recorder, request(org, { path: `/${n}` }))
    await recorder.flush()
    const first = await list(org, {}, { limit: 3 })
    const rest = await list(org, {}, { limit: 3, after: first.next_cursor ?? '' })
    const paths = [...first.requests, ...rest.requests].map(({ path }) => path)
    expect(paths).toEqual(['/4', '/3', '/2', '/1', '/0'])
    expect(rest.next_cursor).toBeNull()
  })

  it('examines a bounded number of entries per page, and reports how far it got', async () => {
    const org = randomUUID()
    const rows = Array.from({ length: EXAMINED_MAX + 1 }, (_, n) => {
      const at = new Date(START + n)
      return { ...request(org, { path: `/${n}` }), id: newId(at), at, left_out: 0 }
    })
    await insertRequests(db, rows)
    const first = await list(org, { path_prefix: '/0', status_class: 4 })
    expect(first.requests).toEqual([])
    expect(first.examined_until).toBe('2031-05-01T00:00:00.001Z')
    const filter = { path_prefix: '/0' }
    const second = await list(org, filter, { after: first.next_cursor ?? '' })
    expect(second.requests.map(({ path }) => path)).toEqual(['/0'])
    expect(second.next_cursor).toBeNull()
  })
})

describe('a page', () => {
  it('continues where the previous one stopped, despite concurrent writes', async () => {
    const org = randomUUID()
    const row = (n: number) => {
      const at = new Date(START + n)
      return { ...request(org, { path: `/${n % 100}` }), id: newId(at), at, left_out: 0 }
    }
    await insertRequests(
      db,
      Array.from({ length: EXAMINED_MAX + 10 }, (_, n) => row(n)),
    )
    let isDisturbed = false
    const disturbed = db.withPlugin({
      transformQuery: ({ node }) => node,
      // Written between the query for the rows and the query for the last examined row.
      transformResult: async ({ result }) => {
        if (!isDisturbed && result.rows.length === EXAMINED_MAX / 100) {
          isDisturbed = true
          await insertRequests(db, [row(EXAMINED_MAX + 10)])
        }
        return result
      },
    })
    const page = { after: undefined, limit: 200 }
    const filter = { path_prefix: '/77' }
    const { examined_until } = await createRequestReading({ db: disturbed, clock }).list(
      org,
      filter,
      page,
    )
    expect([isDisturbed, examined_until]).toEqual([true, '2031-05-01T00:00:00.010Z'])
  })
})

describe('left-out requests', () => {
  it('are counted at their place in the log', async () => {
    const org = randomUUID()
    for (let n = 0; n < 100; n += 1) record(recorder, request(org))
    for (let n = 0; n < 30; n += 1) record(recorder, request(org, { status: 429 }))
    await recorder.flush()
    record(recorder, request(org))
    await recorder.flush()
    const all = await list(org, {}, { limit: 200 })
    expect(all.requests.filter(({ status }) => status === 429)).toHaveLength(10)
    expect(all.requests).toHaveLength(51)
    expect(all.left_out).toBe(80)
    expect(all.requests.map(({ left_out }) => left_out).slice(0, 3)).toEqual([0, 80, 0])
    const newest = await list(org, {}, { limit: 1 })
    expect(newest.left_out).toBe(0)
  })

  it('include those that an unavailable database could not store, once it is back', async () => {
    const org = randomUUID()
    for (let n = 0; n < 3; n += 1) record(recorder, request(org))
    await sql`alter table request_log rename to request_log_away`.execute(db)
    await recorder.flush()
    await sql`alter table request_log_away rename to request_log`.execute(db)
    record(recorder, request(org))
    await recorder.flush()
    const { requests, left_out } = await list(org)
    expect([requests.length, left_out]).toEqual([1, 3])
  })

  it('never include a query or a body, for which there is no column', async () => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_name = 'request_log'`.execute(db)
    expect(rows.map(({ name }) => name).toSorted()).toEqual([
      'at',
      'duration_ms',
      'id',
      'key_id',
      'left_out',
      'method',
      'mode',
      'org_id',
      'path',
      'route',
      'slot',
      'status',
      'user_id',
    ])
  })
})

describe('after a day', () => {
  it('entries are not listed, and their table is truncated before it is used again', async () => {
    const org = randomUUID()
    const before = await countRows()
    for (let hour = 0; hour < 72; hour += 1) {
      now = START + hour * HOUR_MS
      await sweepRequests(db, clock.now())
      record(recorder, request(org, { path: `/${hour}` }))
      await recorder.flush()
    }
    const paths = await pathsOf(org)
    expect([paths.length, paths[0], paths.at(-1)]).toEqual([25, '/71', '/47'])
    expect((await countRows()) - before).toBeLessThanOrEqual(32)
    await sweepRequests(db, clock.now())
    expect(await pathsOf(org)).toEqual(paths)
  })

  it('every slot has a table', async () => {
    const { rows } = await sql<{ tables: number }>`
      select count(*)::int as tables from pg_inherits
      where inhparent = 'request_log'::regclass`.execute(db)
    expect(rows[0]?.tables).toBe(SLOTS)
  })
})
