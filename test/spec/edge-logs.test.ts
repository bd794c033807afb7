/** Specification, "Edge devices and logs": `POST /edge/logs`, its limits and its price. */
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { logsOf } from '../../src/modules/edge/logs/row.ts'
import { decodePayload } from '../../src/platform/spool/index.ts'
import { ownDatabase } from '../database.ts'
import { type Answer, useHarness } from '../harness.ts'
import { success } from '../support/answers.ts'
import { whileFlushing } from '../support/flushers.ts'

const clock = { time: new Date('2026-03-15T12:00:00.000Z'), now: () => clock.time }
const BATCH_MAX = 2000
const BYTES_MAX = 400_000
const harness = useHarness({
  settings: {
    VIGIL_RATE_LIMIT_INGEST: '999999/1',
    VIGIL_EDGE_BATCH_MAX: String(BATCH_MAX),
    VIGIL_EDGE_BATCH_MAX_BYTES: String(BYTES_MAX),
    VIGIL_SPOOL_MAX_MB: '16',
  },
  clock,
  // A database of its own, because some tests flush the spool of all organizations.
  db: ownDatabase(),
})

const PATH = '/v1/edge/logs'
const ENTRY = { device_id: 'till-1', level: 'info', message: 'Started' }
const FULL = {
  ...ENTRY,
  level: 'error',
  timestamp: '2026-03-15T11:59:58.123Z',
  category: 'payment',
  environment: 'production',
  error: { type: 'TimeoutError', stack: 'TimeoutError\n    at pay (pay.js:1:2)', code: 'E1' },
  data: { amount: 12.5, nested: { list: [1, null, 'x'] } },
  tags: ['front', 'ü'],
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
}

type Content = {
  received: number
  processed: number
  errors?: { index: number; field: string; reason: string }[]
  field: string
  retry_after: number
}

const post = async (key: string, body: unknown): Promise<Answer<Content>> =>
  await harness().call<Content>({ method: 'POST', path: PATH, key, body })

const send = async (key: string, ...logs: unknown[]) => await post(key, { logs })

async function sendBytes(key: string, payload: Buffer, headers: Record<string, string> = {}) {
  const response = await harness().app.inject({
    method: 'POST',
    url: PATH,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    payload,
  })
  return { status: response.statusCode, body: JSON.parse(response.body) as Answer<Content>['body'] }
}

const usageOf = async (orgId: string) =>
  await harness()
    .stores.db.selectFrom('usage_events')
    .select(['mode', 'meter', 'quantity', 'cost_units'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()

async function stored(orgId: string): Promise<Record<string, unknown>[]> {
  return await harness().stores.analytics.clickhouse.query(
    'select * from edge_logs where org_id = {org_id:UUID} order by id',
    { org_id: orgId },
  )
}

/** Flushes the spool until the organization has this number of rows in the engine. */
async function flushed(orgId: string, count: number): Promise<Record<string, unknown>[]> {
  const read = async () => {
    const rows = await stored(orgId)
    expect(rows).toHaveLength(count)
    return rows
  }
  const patience = { timeout: 15_000, interval: 100 }
  return await whileFlushing(harness(), async () => await vi.waitFor(read, patience))
}

describe('POST /edge/logs', () => {
  it('returns the numbers of entries received and processed', async () => {
    const { keys } = await harness().createTenant()
    const { status, body } = await send(keys.live_secret, ENTRY, FULL)
    expect({ status, body }).toEqual(success('Logs received', { received: 2, processed: 2 }))
  })

  it('stores every documented field under the organization and mode of the key', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.test_secret, FULL, ENTRY)
    const [full, plain] = await flushed(org_id, 2)
    expect(full).toMatchObject({
      org_id,
      mode: 'test',
      device_id: 'till-1',
      level: 'error',
      message: 'Started',
      timestamp_ms: Date.parse(FULL.timestamp),
      category: 'payment',
      environment: 'production',
      error_type: 'TimeoutError',
      error_stack: FULL.error.stack,
      error_code: 'E1',
      tags: FULL.tags,
      trace_id: FULL.trace_id,
      span_id: FULL.span_id,
    })
    expect(JSON.parse(String(full?.['data']))).toEqual(FULL.data)
    expect(full?.['error_fingerprint']).toMatch(/^[0-9a-f]{32}$/)
    expect(plain).toMatchObject({ timestamp_ms: clock.time.getTime(), error_fingerprint: '' })
  })

  it('stores timestamps unchanged, even if the clock of the device is wrong', async () => {
    const { keys, org_id } = await harness().createTenant()
    const dates = ['0001-01-01T00:00:00Z', '1970-01-01', '2099-12-31T23:59:59+01:00', '9999-12-31']
    const times = [...dates, 0, 1_700_000_000, 1_700_000_000_123, -62_135_596_800]
    await send(keys.live_secret, ...times.map((timestamp) => ({ ...ENTRY, timestamp })))
    const rows = await flushed(org_id, times.length)
    expect(rows.map(({ timestamp_ms }) => timestamp_ms)).toEqual([
      ...dates.map((time) => Date.parse(time)),
      0,
      1_700_000_000_000,
      1_700_000_000_123,
      -62_135_596_800_000,
    ])
  })

  it('OP-146: reads Unix time in any unit, as a number or a text', async () => {
    const { keys, org_id } = await harness().createTenant()
    const at = 1_700_000_000_123
    const times = [at / 1000, at, at * 1000, at * 1_000_000].flatMap((time) => [time, String(time)])
    await send(keys.live_secret, ...times.map((timestamp) => ({ ...ENTRY, timestamp })))
    const rows = await flushed(org_id, times.length)
    expect(rows.map(({ timestamp_ms }) => timestamp_ms)).toEqual(times.map(() => at))
  })

  it('OP-74: ignores an empty text and null in an optional member', async () => {
    const { keys, org_id } = await harness().createTenant()
    const members = Object.keys(FULL).filter((name) => !Object.hasOwn(ENTRY, name))
    const entries = ['', null].map((value) => ({
      ...ENTRY,
      ...Object.fromEntries(members.map((name) => [name, value])),
    }))
    const { body } = await send(keys.live_secret, ENTRY, ...entries)
    expect(body.content.processed).toBe(3)
    const [plain, ...others] = (await flushed(org_id, 3)).map((row) => ({ ...row, id: '' }))
    expect(others).toEqual([plain, plain])
    expect(plain).toMatchObject({ timestamp_ms: clock.time.getTime() })
  })

  it('OP-146: refuses times that are not in the years 0 to 9999, and stores the rest', async () => {
    const { keys } = await harness().createTenant()
    const times = ['+012345-01-01T00:00:00Z', '-000001-01-01', 1e20, '2026', '20260301', 'soon']
    const bad = times.map((timestamp) => ({ ...ENTRY, timestamp }))
    const { body } = await send(keys.live_secret, ENTRY, ...bad)
    expect(body.content).toMatchObject({ received: 7, processed: 1 })
    expect(body.message).toMatch(/the first: logs\.1\.timestamp must be an ISO 8601 date/)
    const alone = await send(keys.live_secret, bad[0])
    expect([alone.status, alone.body.content.field]).toEqual([400, 'logs.0.timestamp'])
  })

  it('OP-145: returns the numbers of data with the digits that were sent', async () => {
    const { keys, org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const exact =
      '{"order":9007199254740993,"list":[-9223372036854775808,-0,1e400],"rate":0.1000000000000000055}'
    const plain = '{"text":"9007199254740993","rate":0.30000000000000004}'
    const entries = [exact, plain].map(
      (data) => `{"device_id":"a","level":"info","message":"number","data":${data},"timestamp":1}`,
    )
    const { status } = await sendBytes(
      keys.live_secret,
      Buffer.from(`{"logs":[${entries.join(', ')}]}`),
    )
    expect(status).toBe(200)
    const rows = await flushed(org_id, 2)
    expect(rows.map(({ data }) => data)).toEqual([exact, plain])
    for (const path of [
      '/v1/edge/logs?',
      '/v1/edge/logs/search?q=number&',
      '/console/api/edge/logs?',
    ]) {
      const { body } = await harness().app.inject({
        url: `${path}org_id=${org_id}`,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(body).toContain(`"data":${exact}`)
      expect(body).toContain(`"data":${plain}`)
    }
  })

  it('OP-145: limits data by the size of its numbers as they were sent', async () => {
    const { keys } = await harness().createTenant()
    const data = `{"n":${'9'.repeat(harness().config.edge_data_max_bytes)}}`
    const { status, body } = await sendBytes(
      keys.live_secret,
      Buffer.from(`{"logs":[{"device_id":"a","level":"info","message":"","data":${data}}]}`),
    )
    expect([status, body.content.field]).toEqual([400, 'logs.0.data'])
  })

  it('accepts the valid entries of a batch and reports how many were refused and why', async () => {
    const { keys, org_id } = await harness().createTenant()
    const bad = [{ ...ENTRY, level: 'loud' }, null, { ...ENTRY, tags: [1] }]
    const { status, body } = await send(keys.live_secret, ENTRY, ...bad, ENTRY)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message:
          'Logs received; 3 of 5 refused, the first: logs.1.level must be one of debug, info, warn, error, fatal; also refused: logs.2, logs.3.tags.0',
        content: {
          received: 5,
          processed: 2,
          errors: [
            {
              index: 1,
              field: 'level',
              reason: 'must be one of debug, info, warn, error, fatal',
            },
            { index: 2, field: '', reason: 'must be object' },
            { index: 3, field: 'tags.0', reason: 'must be string' },
          ],
        },
      },
    })
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 2, cost_units: 20 }])
  })

  it('OP-148: lists at most 100 refused entries, and lists them again for a repeated body', async () => {
    const { keys } = await harness().createTenant()
    const bad = Array.from({ length: 120 }, () => ({ ...ENTRY, message: 7 }))
    const first = await send(keys.live_secret, ENTRY, ...bad)
    expect(first.body.content.processed).toBe(1)
    expect(first.body.content.errors?.map(({ index }) => index)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
    const again = await send(keys.live_secret, ENTRY, ...bad)
    expect(again.body.message).toContain('the same body was received')
    expect(again.body.content).toEqual(first.body.content)
  })

  it('refuses a batch without valid entries and names the first entry and its field', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { status, body } = await send(keys.live_secret, { ...ENTRY, device_id: 7 }, {})
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        success: false,
        message: 'logs.0.device_id must be string',
        code: 'invalid_request',
        content: { field: 'logs.0.device_id' },
      },
    })
    expect(await usageOf(org_id)).toEqual([])
  })

  it.each([
    ['no list', {}, 'logs'],
    ['a list by itself', [ENTRY], 'body'],
    ['one entry', { logs: ENTRY }, 'logs'],
    ['an empty list', { logs: [] }, 'logs'],
    ['null', { logs: null }, 'logs'],
    ['too many entries', { logs: Array.from({ length: BATCH_MAX + 1 }, () => ENTRY) }, 'logs'],
  ])('refuses a body of another shape: %s', async (_, body, field) => {
    const { keys } = await harness().createTenant()
    const response = await post(keys.live_secret, body)
    expect([response.status, response.body.content.field]).toEqual([400, field])
  })

  it('accepts compressed bodies, whose size counts after decompression', async () => {
    const { keys } = await harness().createTenant()
    const gzip = { 'content-encoding': 'gzip' }
    const body = Buffer.from(JSON.stringify({ logs: [ENTRY] }))
    const taken = await sendBytes(keys.live_secret, gzipSync(body), gzip)
    expect(taken).toMatchObject({ status: 200, body: { content: { processed: 1 } } })
    const bomb = Buffer.from(JSON.stringify({ logs: [ENTRY], more: ' '.repeat(BYTES_MAX) }))
    const refused = await sendBytes(keys.live_secret, gzipSync(bomb), gzip)
    expect(refused).toMatchObject({ status: 400, body: { content: { field: 'body' } } })
    const plain = await sendBytes(keys.live_secret, bomb)
    expect(plain).toMatchObject({ status: 400, body: { content: { field: 'body' } } })
  })

  it('accepts JSON texts that the storage cannot represent', async () => {
    const { keys, org_id } = await harness().createTenant()
    const entry = `{"device_id":"d\\ud800","level":"info","message":"a\\u0000b \\udfff \\ud83d\\udc0e","x":1,"x":2}`
    const { status } = await sendBytes(keys.live_secret, Buffer.from(`{"logs":[${entry}]}`))
    expect(status).toBe(200)
    const [row] = await flushed(org_id, 1)
    expect(row).toMatchObject({ device_id: 'd\ufffd', message: 'a\0b \ufffd 🐎' })
  })

  it('creates unknown devices and updates last_seen_at of known ones', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.live_secret, ENTRY, { ...ENTRY, device_id: 'till-2' })
    await send(keys.test_secret, ENTRY)
    const began = clock.time
    clock.time = new Date(began.getTime() + 60_000)
    await send(keys.live_secret, ENTRY)
    const devices = await harness()
      .stores.db.selectFrom('edge_devices')
      .select(['mode', 'device_id', 'created_at', 'last_seen_at'])
      .where('org_id', '=', org_id)
      .orderBy('mode')
      .orderBy('device_id')
      .execute()
    const seen = { created_at: began, last_seen_at: began }
    expect(devices).toEqual([
      { mode: 'live', device_id: 'till-1', created_at: began, last_seen_at: clock.time },
      { mode: 'live', device_id: 'till-2', ...seen },
      { mode: 'test', device_id: 'till-1', ...seen },
    ])
  })

  it('requires a secret key', async () => {
    const { keys } = await harness().createTenant()
    const body = { logs: [ENTRY] }
    const statuses = [
      await harness().call({ method: 'POST', path: PATH, body }),
      await post('sk_live_unknown', body),
      await post(keys.live_public, body),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 403])
  })
})

describe('the same body again', () => {
  it('within 15 minutes gets the same numbers, is named a repetition, and is neither stored nor charged again', async () => {
    const { keys, org_id } = await harness().createTenant()
    const logs = [ENTRY, { ...ENTRY, level: 'loud' }]
    const first = await send(keys.live_secret, ...logs)
    const body = Buffer.from(JSON.stringify({ logs }))
    const began = clock.time
    clock.time = new Date(began.getTime() + 14 * 60_000)
    const again = await Promise.all([
      sendBytes(keys.live_secret, body),
      sendBytes(keys.live_secret, gzipSync(body), { 'content-encoding': 'gzip' }),
    ])
    const message = `${first.body.message}; the same body was received in the last 15 minutes and is stored once. A timestamp in every entry makes bodies distinct`
    for (const response of again) {
      expect(response).toEqual({ status: 200, body: { ...first.body, message } })
    }
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 1, cost_units: 10 }])
    await flushed(org_id, 1)
    clock.time = new Date(began.getTime() + 15 * 60_000)
    await send(keys.live_secret, ...logs)
    expect(await usageOf(org_id)).toHaveLength(2)
    await flushed(org_id, 2)
  })

  it('is stored once if it is sent several times at the same time', async () => {
    const { keys, org_id } = await harness().createTenant()
    const message = randomUUID()
    const responses = await Promise.all(
      Array.from({ length: 8 }, async () => await send(keys.live_secret, { ...ENTRY, message })),
    )
    expect(responses.map(({ body }) => body.content.processed)).toEqual(responses.map(() => 1))
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 1 }])
  })
})

describe('the price of logs', () => {
  it('OP-21: is the rate of the tier of each log, exact at the boundary', async () => {
    const { keys, org_id } = await harness().createTenant()
    const batch = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        device_id: 'd',
        level: 'info',
        message: `${index}`,
      }))
    for (let sent = 0; sent < 9_999; sent += 1111)
      await send(keys.live_secret, { n: sent }, ...batch(1111))
    const units = async () =>
      (await usageOf(org_id)).reduce((sum, { cost_units }) => sum + cost_units, 0)
    expect(await units()).toBe(99_990)
    await send(keys.live_secret, ...batch(3))
    expect(await units()).toBe(99_990 + 10 + 8 + 8)
  })

  it('is 0 for test keys, whose logs are still counted', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.test_secret, ENTRY, ENTRY)
    expect(await usageOf(org_id)).toEqual([
      { mode: 'test', meter: 'edge_log', quantity: 2, cost_units: 0 },
    ])
  })
})

describe('while the spool is full', () => {
  it('batches are refused with the time to wait, and no accepted log is lost', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.live_secret, ENTRY)
    const { db } = harness().stores
    await sql`update analytics_spool set bytes = ${20 * 1_048_576} where org_id = ${org_id}`.execute(
      db,
    )
    const refused = await vi.waitFor(
      async () => {
        const response = await send(keys.live_secret, { ...ENTRY, message: randomUUID() })
        expect(response.status).toBe(429)
        return response
      },
      { timeout: 10_000, interval: 100 },
    )
    expect(refused.body.content.retry_after).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBe(refused.body.content.retry_after)
    await flushed(org_id, (await usageOf(org_id)).length)
    await vi.waitFor(async () => expect((await send(keys.live_secret, ENTRY)).status).toBe(200), {
      timeout: 10_000,
      interval: 100,
    })
  })
})

describe('OP-128: a batch with more errors than are grouped on receipt', () => {
  // The limit of a batch is 524,288 characters: 64 for each error, and those of its message and stack.
  const large = useHarness({ db: ownDatabase() })
  const STACK = `TypeError: x\n${'    at pay (/srv/app/till.js:1:2)\n'.repeat(481)}`.slice(
    0,
    16_000,
  )
  const error = { type: 'TypeError', stack: STACK }
  const logs = Array.from({ length: 60 }, (_, n) => ({
    device_id: 'till-1',
    level: n % 2 === 0 ? 'error' : 'fatal',
    message: `Payment ${n}`.padEnd(36, '.'),
    error,
  }))
  const GROUPED = Math.floor(524_288 / (64 + 36 + 16_000))

  it('is stored with its receipt, and its other errors are grouped before they are flushed', async () => {
    const { keys, org_id } = await large().createTenant()
    const { db, analytics } = large().stores
    const answer = await large().post(PATH, { logs }, { key: keys.live_secret })
    expect(answer).toMatchObject(success('Logs received', { received: 60, processed: 60 }))
    const spooled = await db
      .selectFrom('analytics_spool')
      .select(['target', 'payload', 'bytes', 'entries'])
      .where('org_id', '=', org_id)
      .execute()
    // In pieces, so that other organizations get their turn.
    expect(spooled.length).toBeGreaterThan(1)
    for (const { target, bytes } of spooled) {
      expect(target).toBe('edge_logs_ungrouped')
      expect(bytes).toBeLessThanOrEqual(524_288)
    }
    const payloads = await Promise.all(spooled.map(decodePayload))
    const waitingLogs = payloads.flatMap(({ rows }) => logsOf(rows))
    expect(waitingLogs).toHaveLength(60)
    const groupedLogs = waitingLogs.filter(({ error_fingerprint }) => error_fingerprint !== '')
    expect(groupedLogs).toHaveLength(GROUPED)

    // Another organization's batch is flushed directly, with the same error.
    const other = await large().createTenant()
    await large().post(PATH, { logs: logs.slice(0, 1) }, { key: other.keys.live_secret })
    const groups = async (orgId: string) =>
      await analytics.clickhouse.query<{ error_fingerprint: string; logs: number }>(
        `select error_fingerprint, count() as logs from edge_logs
         where org_id = {org_id:UUID} group by error_fingerprint`,
        { org_id: orgId },
      )
    await whileFlushing(large(), async () => {
      const patience = { timeout: 20_000, interval: 100 }
      await vi.waitFor(async () => {
        const [direct] = await groups(other.org_id)
        expect(direct?.error_fingerprint).toMatch(/^[0-9a-f]{32}$/)
        expect(await groups(org_id)).toEqual([{ ...direct, logs: 60 }])
      }, patience)
    })
  })

  it('is not held up by, and does not hold up, the batches of others', async () => {
    const { keys, org_id } = await large().createTenant()
    const other = await large().createTenant()
    await Promise.all([
      large().post(PATH, { logs }, { key: keys.live_secret }),
      large().post(PATH, { logs: [ENTRY] }, { key: other.keys.live_secret }),
    ])
    const waiting = async (target: string) => {
      const rows = large()
        .stores.db.selectFrom('analytics_spool')
        .select('org_id')
        .where('target', '=', target)
        .where('flushed_at', 'is', null)
      return new Set((await rows.execute()).map((row) => row.org_id))
    }
    // The flusher of logs takes the rows of this target.
    expect(await waiting('edge_logs')).toEqual(new Set([other.org_id]))
    expect(await waiting('edge_logs_ungrouped')).toEqual(new Set([org_id]))
  })
})
