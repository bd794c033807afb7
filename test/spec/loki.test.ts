/** `POST /loki/api/v1/push` and `POST /ndjson/v1/logs`: what the agents of others send. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../database.ts'
import { useHarness } from '../harness.ts'
import { flushedLogs } from '../support/flushers.ts'
import { LOKI_REQUEST } from '../support/loki-request.ts'

const harness = useHarness({
  settings: { VIGIL_EDGE_BATCH_MAX_BYTES: '200000' },
  // A separate database, because tests flush the spool of all organizations.
  db: ownDatabase(),
})
const LOKI = '/loki/api/v1/push'
const NDJSON = '/ndjson/v1/logs'
const PROTOBUF = { 'content-type': 'application/x-protobuf' }

const flushed = async (orgId: string, count: number) => await flushedLogs(harness(), orgId, count)

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`any user:${password}`).toString('base64')}`,
})

async function post(url: string, payload: Buffer | string | object, headers: object) {
  const { app } = harness()
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: isText ? payload : JSON.stringify(payload),
  })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

const streamOf = (...values: unknown[]) => ({
  streams: [{ stream: { host: 'till-1', job: 'drawer' }, values }],
})

describe('POST /loki/api/v1/push', () => {
  it.each([
    ['X-API-Key', {}],
    ['X-API-Key and Content-Encoding snappy', { 'content-encoding': 'snappy' }],
    ['a password', {}],
  ] as const)('stores what Promtail sends with %s', async (name, more) => {
    const { keys, org_id } = await harness().createTenant()
    const key = name === 'a password' ? basic(keys.test_secret) : { 'x-api-key': keys.test_secret }
    const answer = await post(LOKI, LOKI_REQUEST, { ...PROTOBUF, ...key, ...more })
    expect([answer.status, answer.text]).toEqual([204, ''])
    const [error, paid] = await flushed(org_id, 3)
    expect(error).toMatchObject({
      mode: 'test',
      device_id: 'till-12',
      level: 'error',
      category: 'payment',
      environment: 'production',
      timestamp_ms: 1_700_000_000_123,
    })
    expect(paid?.['data']).toContain('"id":9007199254740993')
  })

  it('stores JSON with gzip, and a repeated request once', async () => {
    const { keys, org_id } = await harness().createTenant()
    const key = { 'x-api-key': keys.live_secret }
    const body = streamOf(['1700000000123456789', 'Opened'])
    expect((await post(LOKI, body, key)).status).toBe(204)
    const packed = gzipSync(JSON.stringify(body))
    const again = await post(LOKI, packed, { ...key, 'content-encoding': 'gzip' })
    expect(again.status).toBe(204)
    const [row] = await flushed(org_id, 1)
    expect(row).toMatchObject({ device_id: 'till-1', level: 'info', category: 'drawer' })
  })

  it('answers as Loki does', async () => {
    const { keys } = await harness().createTenant()
    const key = { 'x-api-key': keys.live_secret }
    const statusOf = async (payload: Buffer | object, headers: object) => {
      const { status, text, headers: sent } = await post(LOKI, payload, headers)
      return [status, String(sent['content-type']).split(';')[0], text]
    }
    expect(await statusOf(streamOf(), {})).toEqual([
      401,
      'text/plain',
      'Missing X-API-Key header\n',
    ])
    expect((await post(LOKI, streamOf(), {})).headers['www-authenticate']).toContain('Basic')
    expect((await post(LOKI, streamOf(), basic('sk_live_wrong'))).status).toBe(401)
    expect((await post(LOKI, streamOf(), basic(keys.live_public))).status).toBe(403)
    expect((await post(LOKI, streamOf(), key)).status).toBe(204)
    expect(await statusOf(Buffer.from('x'), { ...key, ...PROTOBUF })).toEqual([
      400,
      'text/plain',
      'The request body is not compressed with Snappy\n',
    ])
    const bad = streamOf(['1700000000123456789', 'Opened'], ['yesterday', 'Closed'])
    const [status, , text] = await statusOf(bad, key)
    expect([status, text]).toEqual([
      400,
      'Logs received; 1 of 2 refused, the first: records.1.timestamp must be an ISO 8601 date or a Unix timestamp\n',
    ])
  })

  it('answers an unexpected failure with 500, which agents repeat', async () => {
    const { keys } = await harness().createTenant()
    const failing = vi.spyOn(harness().parts.telemetry.logs, 'ingestEntries')
    failing.mockRejectedValueOnce(new Error('Connection terminated'))
    const body = streamOf(['1700000000123456789', 'Opened'])
    expect((await post(LOKI, body, { 'x-api-key': keys.live_secret })).status).toBe(500)
  })
})

describe('POST /ndjson/v1/logs', () => {
  it('stores lines of entries and of agents, and lists those that are refused', async () => {
    const { keys, org_id } = await harness().createTenant()
    const lines = [
      { device_id: 'till-1', level: 'error', message: 'Jam', error: { type: 'PaperJam' } },
      {
        host: 'till-2',
        level: 'WARNING',
        msg: 'Paper is low',
        time: '2026-03-01T12:00:00Z',
        tray: 2,
      },
    ].map((line) => JSON.stringify(line))
    const body = `${lines.join('\n')}\nno JSON\n`
    const headers = { ...basic(keys.live_secret), 'content-type': 'application/x-ndjson' }
    const { status, text } = await post(NDJSON, body, headers)
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { success: true, content: { received: 3, processed: 2, errors: [{ index: 2 }] } },
    ])
    const [jam, paper] = await flushed(org_id, 2)
    expect(jam).toMatchObject({ device_id: 'till-1', level: 'error', error_type: 'PaperJam' })
    expect(paper).toMatchObject({ device_id: 'till-2', level: 'warn', data: '{"tray":2}' })
  })

  it('stores a list of JSON, and names the body without a line', async () => {
    const { keys, org_id } = await harness().createTenant()
    const key = { 'x-api-key': keys.live_secret }
    expect((await post(NDJSON, [{ host: 'a', message: 'b' }], key)).status).toBe(200)
    await flushed(org_id, 1)
    for (const [payload, type] of [
      ['\n', 'text/plain'],
      ['[]', 'application/json'],
    ] as const) {
      const { status, text } = await post(NDJSON, payload, { ...key, 'content-type': type })
      expect([status, JSON.parse(text)]).toMatchObject([400, { content: { field: 'body' } }])
    }
  })
})
