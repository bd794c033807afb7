/** Specification, "Edge devices and logs": `POST /edge/logs`, its limits and its price. */
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../database.ts'
import { type Answer, useHarness } from '../harness.ts'

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
  // Its own, because what waits for the analytics engine is sent on in some of the tests.
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

type Content = { received: number; processed: number; field: string; retry_after: number }

const post = async (key: string, body: unknown): Promise<Answer<Content>> =>
  await harness().call<Content>({ method: 'POST', path: PATH, key, body })

const send = async (key: string, ...logs: unknown[]) => await post(key, { logs })

async function sendBytes(key: string, payload: Buffer, headers: Record<string, string> = {}) {
  const answer = await harness().app.inject({
    method: 'POST',
    url: PATH,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    payload,
  })
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Answer<Content>['body'] }
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

/** Sends on what waits, until this organisation has so many rows there. */
async function flushed(orgId: string, count: number): Promise<Record<string, unknown>[]> {
  const { flushers } = harness().services.telemetry
  for (const flusher of flushers) flusher.start()
  try {
    return await vi.waitFor(
      async () => {
        const rows = await stored(orgId)
        expect(rows).toHaveLength(count)
        return rows
      },
      { timeout: 15_000, interval: 100 },
    )
  } finally {
    await Promise.all(flushers.map(async (flusher) => await flusher.stop(5000)))
  }
}

describe('POST /edge/logs', () => {
  it('answers how many entries were received and processed', async () => {
    const { keys } = await harness().createTenant()
    const { status, body } = await send(keys.live_secret, ENTRY, FULL)
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, message: 'Logs received', content: { received: 2, processed: 2 } },
    })
  })

  it('stores every documented field, under the organisation and mode of the key', async () => {
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

  it('keeps times as they are told, however wrong the clock of the device is', async () => {
    const { keys, org_id } = await harness().createTenant()
    const told = ['0001-01-01T00:00:00Z', '1970-01-01', '2099-12-31T23:59:59+01:00', '9999-12-31']
    const times = [...told, 0, 1_700_000_000, 1_700_000_000_123, -62_135_596_800]
    await send(keys.live_secret, ...times.map((timestamp) => ({ ...ENTRY, timestamp })))
    const rows = await flushed(org_id, times.length)
    expect(rows.map(({ timestamp_ms }) => timestamp_ms)).toEqual([
      ...told.map((time) => Date.parse(time)),
      0,
      1_700_000_000_000,
      1_700_000_000_123,
      -62_135_596_800_000,
    ])
  })

  it('takes the good entries of a batch, and says how many were refused and why', async () => {
    const { keys, org_id } = await harness().createTenant()
    const bad = [{ ...ENTRY, level: 'loud' }, null, { ...ENTRY, tags: [1] }]
    const { status, body } = await send(keys.live_secret, ENTRY, ...bad, ENTRY)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message:
          'Logs received; 3 of 5 refused, the first: logs.1.level must be one of debug, info, warn, error, fatal',
        content: { received: 5, processed: 2 },
      },
    })
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 2, cost_units: 20 }])
  })

  it('refuses a batch with nothing valid, and names the first entry and its field', async () => {
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
    const answer = await post(keys.live_secret, body)
    expect({ status: answer.status, field: answer.body.content.field }).toEqual({
      status: 400,
      field,
    })
  })

  it('takes bodies that are compressed, up to their size after decompression', async () => {
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

  it('takes what JSON can say that storage cannot', async () => {
    const { keys, org_id } = await harness().createTenant()
    const entry = `{"device_id":"d\\ud800","level":"info","message":"a\\u0000b \\udfff \\ud83d\\udc0e","x":1,"x":2}`
    const { status } = await sendBytes(keys.live_secret, Buffer.from(`{"logs":[${entry}]}`))
    expect(status).toBe(200)
    const [row] = await flushed(org_id, 1)
    expect(row).toMatchObject({ device_id: 'd\ufffd', message: 'a\0b \ufffd 🐎' })
  })

  it('creates the devices that it does not know, and moves the last sight of others', async () => {
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

  it('needs a secret key', async () => {
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
  it('within 15 minutes is answered the same, and neither stored nor charged again', async () => {
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
    for (const answer of again) expect(answer).toEqual({ status: 200, body: first.body })
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 1, cost_units: 10 }])
    await flushed(org_id, 1)
    clock.time = new Date(began.getTime() + 15 * 60_000)
    await send(keys.live_secret, ...logs)
    expect(await usageOf(org_id)).toHaveLength(2)
    await flushed(org_id, 2)
  })

  it('is stored once when it comes several times at once', async () => {
    const { keys, org_id } = await harness().createTenant()
    const message = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await send(keys.live_secret, { ...ENTRY, message })),
    )
    expect(answers.map(({ body }) => body.content.processed)).toEqual(answers.map(() => 1))
    expect(await usageOf(org_id)).toMatchObject([{ quantity: 1 }])
  })
})

describe('the price of logs', () => {
  it('OP-21: is by the tier that each log falls in, exact at the boundary', async () => {
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

  it('is nothing for test keys, whose logs are counted', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.test_secret, ENTRY, ENTRY)
    expect(await usageOf(org_id)).toEqual([
      { mode: 'test', meter: 'edge_log', quantity: 2, cost_units: 0 },
    ])
  })
})

describe('while too much waits for the analytics engine', () => {
  it('batches are refused with the time to wait, and nothing that was taken is lost', async () => {
    const { keys, org_id } = await harness().createTenant()
    await send(keys.live_secret, ENTRY)
    const { db } = harness().stores
    await sql`update analytics_spool set bytes = ${20 * 1_048_576} where org_id = ${org_id}`.execute(
      db,
    )
    const refused = await vi.waitFor(
      async () => {
        const answer = await send(keys.live_secret, { ...ENTRY, message: randomUUID() })
        expect(answer.status).toBe(429)
        return answer
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
