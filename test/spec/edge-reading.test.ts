/** Specification, "Edge devices and logs": readings of logs for members of the organization. */

import { describe, expect, it } from 'vitest'
import type { QueryReading } from '../../src/modules/edge/logs/query/schema.ts'
import { LOG_ROWS } from '../../src/modules/edge/logs/row.ts'
import { EngineUnavailable } from '../../src/platform/clickhouse/errors.ts'
import { decodePayload } from '../../src/platform/spool/index.ts'
import { DAY_MS, HOUR_MS } from '../../src/platform/time-units.ts'
import { useHarness } from '../harness.ts'
import { NOT_FOUND } from '../support/answers.ts'
import { addEdgeLogs, edgeLog } from '../support/edge-logs.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Member = { org_id: string; token: string }
type Log = Record<string, unknown> & { id: string; message: string; timestamp: string }
type Page = {
  logs: Log[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

type SearchPage = Page & { query: QueryReading }

async function createMember(): Promise<Member> {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>({ org_id, token }: Member, path: string, query: Record<string, string> = {}) {
  const text = new URLSearchParams({ org_id, ...query })
  return await harness().get<C>(`/v1/edge${path}?${text.toString()}`, { token })
}
const read = async <C>(member: Member, path: string, query: Record<string, string> = {}) => {
  const { status, body } = await get<C>(member, path, query)
  expect({ status, message: body.message }).toMatchObject({ status: 200 })
  return body.content
}

type LogFields = Omit<Parameters<typeof edgeLog>[0], 'org_id'>
async function add({ org_id }: Member, ...logs: LogFields[]): Promise<void> {
  const { clickhouse } = harness().stores.analytics
  const received_at_ms = Date.now() - 1000
  await addEdgeLogs(
    clickhouse,
    logs.map((log) => edgeLog({ org_id, received_at_ms, ...log })),
  )
}

const OPERATIONS: [path: string, required: Record<string, string>][] = [
  ['/logs', {}],
  ['/logs/search', { q: 'word' }],
  ['/errors', {}],
  ['/overview', {}],
  ['/trends', {}],
]

describe.each(OPERATIONS)('GET /edge%s', (path, required) => {
  it('is for members only, whether or not the organization exists', async () => {
    const member = await createMember()
    const other = await createMember()
    for (const org_id of [other.org_id, NO_ONE, 'x', '']) {
      const { status, body } = await get({ ...member, org_id }, path, required)
      expect({ org_id, status, body }).toEqual({ org_id, ...NOT_FOUND })
    }
  })

  it('accepts an access token and no API key', async () => {
    const { org_id, keys } = await harness().createTenant()
    const query = new URLSearchParams({ org_id, ...required })
    const url = `/v1/edge${path}?${query.toString()}`
    const { status } = await harness().call({ method: 'GET', path: url, key: keys.live_secret })
    expect(status).toBe(401)
  })

  it('requires org_id', async () => {
    const { token } = await createMember()
    const url = `/v1/edge${path}?${new URLSearchParams(required).toString()}`
    const { status, body } = await harness().call({ method: 'GET', path: url, token })
    expect([status, body.code, body.content.field]).toEqual([400, 'invalid_request', 'org_id'])
  })

  it('names invalid dates and an end before the start', async () => {
    const member = await createMember()
    const WRONG: [query: Record<string, string>, field: string][] = [
      [{ start_date: 'yesterday' }, 'start_date'],
      [{ start_date: '2026-02-30' }, 'start_date'],
      [{ start_date: '2026-03-02', end_date: '2026-03-01T23:59:59Z' }, 'end_date'],
    ]
    for (const [query, field] of WRONG) {
      const { status, body } = await get<{ field: string }>(member, path, { ...required, ...query })
      expect([query, status, body.content.field]).toEqual([query, 400, field])
    }
  })

  it('is empty if there are no logs', async () => {
    const content = await read<Record<string, unknown>>(await createMember(), path, required)
    const text = JSON.stringify(content)
    expect(text).not.toMatch(/"(total|count|active|with_errors|logs_24h)":[1-9]/)
  })

  it('OP-75: reports only that logs cannot be read while the engine is unavailable', async () => {
    const member = await createMember()
    const { clickhouse } = harness().stores.analytics
    const { query } = clickhouse
    clickhouse.query = () => Promise.reject(new EngineUnavailable('gone: http://127.0.0.1:1'))
    try {
      const { status, body } = await get(member, path, required)
      expect(status).toBe(500)
      expect(body.message).toBe('Logs cannot be read at the moment; try again shortly')
    } finally {
      clickhouse.query = query
    }
  })
})

describe('GET /edge/logs', () => {
  it('returns an entry as it was sent, with id, time of receipt and fingerprint', async () => {
    const member = await createMember()
    const at = Date.now() - 5000
    await add(member, {
      received_at_ms: at,
      timestamp_ms: at - 250,
      device_id: 'till-1',
      level: 'error',
      message: 'It failed',
      category: 'payment',
      environment: 'production',
      error_type: 'TimeoutError',
      error_stack: 'at pay (pay.js:1)',
      error_code: 'E1',
      error_fingerprint: 'ab'.repeat(16),
      data: '{"amount":12.5,"nested":{"a":[1,null]}}',
      tags: ['a', 'b'],
      trace_id: 't1',
      span_id: 's1',
    })
    const { logs, pagination } = await read<Page>(member, '/logs')
    expect(logs).toEqual([
      {
        id: logs[0]?.id,
        device_id: 'till-1',
        level: 'error',
        message: 'It failed',
        timestamp: new Date(at - 250).toISOString(),
        category: 'payment',
        environment: 'production',
        error: { type: 'TimeoutError', stack: 'at pay (pay.js:1)', code: 'E1' },
        data: { amount: 12.5, nested: { a: [1, null] } },
        tags: ['a', 'b'],
        trace_id: 't1',
        span_id: 's1',
        received_at: new Date(at).toISOString(),
        error_fingerprint: 'ab'.repeat(16),
      },
    ])
    expect(pagination).toEqual({ page: 1, limit: 50, total: 1, pages: 1 })
  })

  it('returns null for members that were not sent, and an empty list of tags', async () => {
    const member = await createMember()
    await add(member, {})
    const [log] = (await read<Page>(member, '/logs')).logs
    expect(log).toMatchObject({
      category: null,
      environment: null,
      error: null,
      data: null,
      tags: [],
      trace_id: null,
      span_id: null,
      error_fingerprint: null,
    })
  })

  it('pages from newest to oldest, with correct first and last pages', async () => {
    const member = await createMember()
    const at = Date.now() - 10 * HOUR_MS
    await add(
      member,
      ...Array.from({ length: 7 }, (_, index) => ({
        timestamp_ms: at + index * 40 * 60_000,
        message: `m${index}`,
      })),
    )
    const page = async (query: Record<string, string>) => {
      const { logs, pagination } = await read<Page>(member, '/logs', query)
      return [logs.map(({ message }) => message).join(' '), pagination.total, pagination.pages]
    }
    expect(await page({ limit: '3' })).toEqual(['m6 m5 m4', 7, 3])
    expect(await page({ limit: '3', page: '3' })).toEqual(['m0', 7, 3])
    expect(await page({ limit: '3', page: '4' })).toEqual(['', 7, 3])
    expect(await page({ limit: '7' })).toEqual(['m6 m5 m4 m3 m2 m1 m0', 7, 1])
    expect(await page({ limit: '1000', page: '1000000000' })).toEqual(['', 7, 1])
    expect(await page({ level: 'fatal' })).toEqual(['', 0, 0])
  })

  it.each([
    ['page', ['0', '-1', '1.5', 'x', '1000000001']],
    ['limit', ['0', '1001', 'x']],
    ['level', ['loud', 'info,,warn', 'INFO']],
  ])('names an invalid %s', async (field, values) => {
    const member = await createMember()
    for (const value of values) {
      const { status, body } = await get<{ field: string }>(member, '/logs', { [field]: value })
      expect([value, status, body.content.field]).toEqual([value, 400, field])
    }
  })

  it('combines filters by device, levels, category, environment and fingerprint', async () => {
    const member = await createMember()
    const fingerprint = 'cd'.repeat(16)
    const wanted = {
      device_id: 'till-7',
      level: 'error' as const,
      category: 'payment',
      environment: 'staging',
      error_fingerprint: fingerprint,
    }
    await add(
      member,
      { ...wanted, message: 'this' },
      { ...wanted, message: 'device', device_id: 'till-70' },
      { ...wanted, message: 'level', level: 'warn' },
      { ...wanted, message: 'category', category: '' },
      { ...wanted, message: 'environment', environment: 'Staging' },
      { ...wanted, message: 'group', error_fingerprint: 'ef'.repeat(16) },
    )
    const messages = async (query: Record<string, string>) =>
      (await read<Page>(member, '/logs', query)).logs.map(({ message }) => message).toSorted()
    expect(await messages({ ...wanted, level: 'error,fatal' })).toEqual(['this'])
    expect(await messages({ level: 'warn, fatal' })).toEqual(['level'])
    expect(await messages({ device_id: 'till-70' })).toEqual(['device'])
    expect(await messages({ error_fingerprint: 'ef'.repeat(16) })).toEqual(['group'])
    expect(await messages({ device_id: '', category: '' })).toHaveLength(6)
  })

  it('covers recently received logs, whatever their timestamps are', async () => {
    const member = await createMember()
    const days = harness().config.edge_window_days
    await add(
      member,
      { message: '1970', timestamp_ms: 3 },
      { message: '2099', timestamp_ms: Date.parse('2099-01-01T00:00:00Z') },
      { message: 'long ago', received_at_ms: Date.now() - (days + 2) * DAY_MS },
    )
    const { logs } = await read<Page>(member, '/logs')
    expect(logs.map(({ message, timestamp }) => [message, timestamp])).toEqual([
      ['2099', '2099-01-01T00:00:00.000Z'],
      ['1970', '1970-01-01T00:00:00.003Z'],
    ])
  })

  it('covers logs that happened between dates, both included, whenever they were received', async () => {
    const member = await createMember()
    const at = Date.now() - 40 * DAY_MS
    const day = new Date(at).toISOString().slice(0, 10)
    const noon = Date.parse(`${day}T12:00:00Z`)
    await add(
      member,
      { message: 'before', timestamp_ms: noon - 1, received_at_ms: at },
      { message: 'first', timestamp_ms: noon, received_at_ms: at },
      { message: 'last', timestamp_ms: noon + 1000, received_at_ms: at },
      { message: 'after', timestamp_ms: noon + 1001, received_at_ms: at },
    )
    const messages = async (query: Record<string, string>) =>
      (await read<Page>(member, '/logs', query)).logs.map(({ message }) => message)
    expect(
      await messages({ start_date: `${day}T12:00:00Z`, end_date: `${day}T13:00:01+01:00` }),
    ).toEqual(['last', 'first'])
    expect(await messages({ start_date: day, end_date: day })).toHaveLength(4)
    expect(await messages({ end_date: `${day}T12:00:00` })).toEqual(['first', 'before'])
    expect(await messages({ start_date: `${day}T12:00:01.001Z` })).toEqual(['after'])
    expect(await messages({})).toEqual([])
  })

  it('shows only live logs of the organization', async () => {
    const member = await createMember()
    const other = await createMember()
    await add(other, { message: 'theirs' })
    await add(member, { message: 'mine' }, { message: 'test', mode: 'test' })
    expect((await read<Page>(member, '/logs')).logs.map(({ message }) => message)).toEqual(['mine'])
  })

  it('shows logs that were sent to the API', async () => {
    const { org_id, keys } = await harness().createTenant()
    const member = { org_id, token: await harness().signIn(org_id, 'member') }
    const body = {
      logs: [{ device_id: 'till-1', level: 'warn', message: 'Straße GESPERRT – Umleitung' }],
    }
    const sent = await harness().post('/v1/edge/logs', body, { key: keys.live_secret })
    expect(sent.status).toBe(200)
    const [line] = await harness()
      .stores.db.selectFrom('analytics_spool')
      .select(['payload', 'bytes'])
      .where('org_id', '=', org_id)
      .execute()
    const { payload = Buffer.alloc(0), bytes = 0 } = line ?? {}
    const { rows } = await decodePayload({ payload, bytes })
    const { clickhouse } = harness().stores.analytics
    const table = `edge_logs (${LOG_ROWS.columns.join(', ')})`
    await clickhouse.insert(table, [rows], org_id, AbortSignal.timeout(15_000), 'RowBinary')
    const found = await read<Page>(member, '/logs/search', { q: 'strasse "gesperrt umleitung"' })
    expect(found.logs).toMatchObject([body.logs[0]])
  })
})

describe('GET /edge/logs/search', () => {
  it('finds all words in any case and order, and words in quotes if they are adjacent', async () => {
    const member = await createMember()
    await add(
      member,
      { message: 'Connection to gateway REFUSED' },
      { message: 'connection refused: gateway' },
      { message: 'Verbindung nach ZÜRICH' },
    )
    const found = async (q: string) => {
      const { logs, pagination } = await read<Page>(member, '/logs/search', { q })
      expect(pagination.total).toBe(logs.length)
      return logs.map(({ message }) => message).toSorted()
    }
    expect(await found('refused connection')).toHaveLength(2)
    expect(await found('"connection refused"')).toEqual(['connection refused: gateway'])
    expect(await found('zürich')).toEqual(['Verbindung nach ZÜRICH'])
    expect(await found('gate')).toEqual([])
  })

  it('OP-73: finds parts of words and fields, and says how q was read', async () => {
    const member = await createMember()
    await add(
      member,
      { message: 'PrintHeadError', level: 'error', device_id: 'printer-1', data: '{"ms":512}' },
      { message: 'Printer is ready', device_id: 'printer-1' },
      { message: 'Card read', level: 'error', trace_id: 'abc' },
    )
    const found = async (q: string) => {
      const { logs, query } = await read<SearchPage>(member, '/logs/search', { q })
      return { messages: logs.map(({ message }) => message).toSorted(), ...query }
    }
    expect((await found('print*')).messages).toEqual(['PrintHeadError', 'Printer is ready'])
    expect((await found('device:printer-* data.ms:>500')).messages).toEqual(['PrintHeadError'])
    expect(await found('level:error -has:trace')).toEqual({
      messages: ['PrintHeadError'],
      read_as: 'level error AND NOT has trace_id',
      terms: [
        { start: 0, end: 11, meaning: 'level error', is_excluded: false, words: [] },
        { start: 13, end: 22, meaning: 'has trace_id', is_excluded: true, words: [] },
      ],
      notes: [],
    })
    const { messages, notes } = await found('card status:500')
    expect(messages).toEqual([])
    expect(notes).toMatchObject([{ start: 5, end: 15 }])
    expect(notes[0]?.text).toContain('status is not a field')
  })

  it('OP-73: refuses a query that is too expensive', async () => {
    const member = await createMember()
    const q = Array.from({ length: 9 }, (_, index) => `data.a:${index}`).join(' OR ')
    const { status, body } = await get<{ field: string }>(member, '/logs/search', { q })
    expect([status, body.content.field]).toEqual([400, 'q'])
    expect(body.message).toBe('q must not have more than 8 conditions on data and stacks')
  })

  it('names q if it is missing, has no words or too many', async () => {
    const member = await createMember()
    const many = Array.from({ length: 33 }, (_, index) => `w${index}`).join(' ')
    const WRONG: Record<string, string>[] = [
      {},
      { q: '' },
      { q: '"…"' },
      { q: many },
      { q: 'x'.repeat(1025) },
    ]
    for (const query of WRONG) {
      const { status, body } = await get<{ field: string }>(member, '/logs/search', query)
      expect([status, body.content.field]).toEqual([400, 'q'])
    }
  })
})

describe('GET /edge/errors', () => {
  it('groups errors, most frequent first, with the newest message', async () => {
    const member = await createMember()
    const at = Date.now() - 3 * HOUR_MS
    const error = { level: 'error' as const, error_fingerprint: 'aa'.repeat(16) }
    await add(
      member,
      {
        ...error,
        timestamp_ms: at,
        device_id: 'a',
        message: 'old',
        error_type: 'IOError',
        environment: 'production',
      },
      {
        ...error,
        timestamp_ms: at + 2 * HOUR_MS,
        device_id: 'b',
        message: `new ${'x'.repeat(2000)}`,
        error_type: 'IOError',
        environment: 'beta',
      },
      { level: 'fatal', error_fingerprint: 'bb'.repeat(16), timestamp_ms: at, message: 'once' },
      { level: 'warn', message: 'no error' },
    )
    expect(await read(member, '/errors')).toEqual([
      {
        fingerprint: 'aa'.repeat(16),
        error_type: 'IOError',
        message: `new ${'x'.repeat(996)}`,
        count: 2,
        affected_devices: 2,
        first_seen: new Date(at).toISOString(),
        last_seen: new Date(at + 2 * HOUR_MS).toISOString(),
        environments: ['beta', 'production'],
      },
      {
        fingerprint: 'bb'.repeat(16),
        error_type: null,
        message: 'once',
        count: 1,
        affected_devices: 1,
        first_seen: new Date(at).toISOString(),
        last_seen: new Date(at).toISOString(),
        environments: [],
      },
    ])
    const second = await read<{ message: string }[]>(member, '/errors', { limit: '1', page: '2' })
    expect(second.map(({ message }) => message)).toEqual(['once'])
  })
})

describe('GET /edge/overview', () => {
  it('counts logs, devices and errors and compares two days', async () => {
    const member = await createMember()
    const { org_id } = member
    const now = Date.now()
    await add(
      member,
      { level: 'info', timestamp_ms: now - HOUR_MS },
      {
        level: 'error',
        timestamp_ms: now - HOUR_MS,
        device_id: 'a',
        error_type: 'X',
        error_fingerprint: 'x',
      },
      { level: 'fatal', timestamp_ms: now - HOUR_MS, device_id: 'b', error_fingerprint: 'y' },
      { level: 'warn', timestamp_ms: now - 30 * HOUR_MS },
      { level: 'debug', timestamp_ms: now - 60 * HOUR_MS, received_at_ms: now - 60 * HOUR_MS },
    )
    const device = { org_id, mode: 'live' as const, created_at: new Date(0) }
    await harness()
      .stores.db.insertInto('edge_devices')
      .values([
        { ...device, device_id: 'a', last_seen_at: new Date(now) },
        { ...device, device_id: 'b', last_seen_at: new Date(now - DAY_MS) },
        { ...device, device_id: 'c', last_seen_at: new Date(now), mode: 'test' },
      ])
      .execute()
    expect(await read(member, '/overview')).toEqual({
      logs: {
        total: 5,
        by_level: [
          { level: 'debug', count: 1 },
          { level: 'info', count: 1 },
          { level: 'warn', count: 1 },
          { level: 'error', count: 1 },
          { level: 'fatal', count: 1 },
        ],
      },
      devices: { total: 2, active: 1, with_errors: 2 },
      errors: { total: 2, unique_types: 2, error_rate: 40 },
      trends: { logs_24h: 3, logs_24h_change: 200 },
    })
  })
})

describe('GET /edge/trends', () => {
  type Point = { timestamp: string; total: number; by_level: { level: string; count: number }[] }

  it('counts by the day of the event in UTC, including days without logs', async () => {
    const member = await createMember()
    const day = (text: string) => Date.parse(`2026-01-${text}Z`)
    await add(
      member,
      { timestamp_ms: day('03T00:00:00'), level: 'warn' },
      { timestamp_ms: day('03T23:59:59.999'), level: 'info' },
      { timestamp_ms: day('05T12:00:00'), level: 'info' },
    )
    const points = await read<Point[]>(member, '/trends', {
      start_date: '2026-01-03T00:00:00.001Z',
      end_date: '2026-01-05',
    })
    expect(points.map(({ timestamp, total }) => [timestamp, total])).toEqual([
      ['2026-01-03T00:00:00.000Z', 1],
      ['2026-01-04T00:00:00.000Z', 0],
      ['2026-01-05T00:00:00.000Z', 1],
    ])
    expect(points[0]?.by_level).toEqual(
      ['debug', 'info', 'warn', 'error', 'fatal'].map((level) => ({
        level,
        count: level === 'info' ? 1 : 0,
      })),
    )
  })

  it('without dates covers the last days by day, or 48 hours by hour', async () => {
    const member = await createMember()
    const days = harness().config.edge_window_days
    expect(await read<Point[]>(member, '/trends')).toHaveLength(days + 1)
    expect(await read<Point[]>(member, '/trends', { granularity: 'hour' })).toHaveLength(49)
  })

  it('names an invalid granularity, and start_date if there would be too many points', async () => {
    const member = await createMember()
    const fault = async (query: Record<string, string>) => {
      const { status, body } = await get<{ field: string }>(member, '/trends', query)
      return [status, body.content.field]
    }
    expect(await fault({ granularity: 'week' })).toEqual([400, 'granularity'])
    expect(await fault({ granularity: 'hour', start_date: '2020-01-01' })).toEqual([
      400,
      'start_date',
    ])
    expect(await fault({ start_date: '2099-01-01' })).toEqual([400, 'start_date'])
  })
})
