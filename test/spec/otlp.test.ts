/** `POST /otlp/v1/logs`: the OTLP/HTTP specification, with the exporters of the OpenTelemetry SDK. */
import { gzipSync } from 'node:zlib'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { PbfReader, PbfWriter } from 'pbf'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../database.ts'
import { useHarness } from '../harness.ts'
import { flushedLogs } from '../support/flushers.ts'

const harness = useHarness({
  settings: { VIGIL_EDGE_BATCH_MAX_BYTES: '200000' },
  // A separate database, because tests flush the spool of all organizations.
  db: ownDatabase(),
})
const PATH = '/otlp/v1/logs'
const PROTOBUF = 'application/x-protobuf'
const BIG = '9007199254740993'

let origin = ''
beforeAll(async () => {
  origin = await harness().app.listen({ host: '127.0.0.1', port: 0 })
})

const flushed = async (orgId: string, count: number) => await flushedLogs(harness(), orgId, count)

async function post(key: string | undefined, payload: Buffer | object, headers = {}) {
  const response = await harness().app.inject({
    method: 'POST',
    url: PATH,
    headers: { ...(key && { 'x-api-key': key }), 'content-type': 'application/json', ...headers },
    payload,
  })
  const { statusCode: status, rawPayload } = response
  return { status, headers: response.headers, bytes: rawPayload, text: response.body }
}

const record = (given: object = {}) => ({
  timeUnixNano: '1700000000123456789',
  severityNumber: 9,
  body: { stringValue: 'Opened' },
  ...given,
})
const requestOf = (...logRecords: object[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'host.name', value: { stringValue: 'till-1' } }] },
      scopeLogs: [{ scope: { name: 'drawer' }, logRecords }],
    },
  ],
})

/** Field 1 with the code and field 2 with the message of a `google.rpc.Status`. */
function statusOf(bytes: Buffer) {
  const status = { code: 0, message: '' }
  return new PbfReader(bytes).readFields((field, result, reader) => {
    if (field === 1) result.code = reader.readVarint()
    if (field === 2) result.message = reader.readString()
  }, status)
}

describe.each([
  ['JSON', JsonExporter],
  ['protobuf', ProtobufExporter],
])('the exporter of the OpenTelemetry SDK for %s', (_, Exporter) => {
  it.each(['none', 'gzip'] as const)('sends logs with compression %s', async (compression) => {
    const { keys, org_id } = await harness().createTenant()
    const exporter = new Exporter({
      url: `${origin}${PATH}`,
      headers: { 'X-API-Key': keys.test_secret },
      compression: compression as never,
    })
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({
        'host.name': 'till-12',
        'service.name': 'payment',
        'deployment.environment.name': 'production',
        'service.version': '4.2.1',
      }),
      processors: [new BatchLogRecordProcessor(exporter)],
    })
    const logger = provider.getLogger('checkout', '1.0.0')
    logger.emit({
      severityNumber: SeverityNumber.ERROR,
      severityText: 'ERROR',
      body: 'Card reader 7 does not answer',
      timestamp: new Date(1_700_000_000_123),
      attributes: {
        'exception.type': 'TimeoutError',
        'exception.stacktrace': 'TimeoutError\n    at pay (pay.js:1:2)',
        attempt: 2,
        nested: { list: [1, 'x', true, 0.5] },
      },
    })
    logger.emit({ body: { message: 'Paid', amount: 12.5 } })
    await provider.forceFlush()
    await provider.shutdown()
    const [error, paid] = await flushed(org_id, 2)
    expect(error).toMatchObject({
      mode: 'test',
      device_id: 'till-12',
      level: 'error',
      message: 'Card reader 7 does not answer',
      timestamp_ms: 1_700_000_000_123,
      category: 'payment',
      environment: 'production',
      error_type: 'TimeoutError',
      error_stack: 'TimeoutError\n    at pay (pay.js:1:2)',
    })
    expect(JSON.parse(String(error?.['data']))).toEqual({
      resource: { 'service.version': '4.2.1' },
      scope: { name: 'checkout', version: '1.0.0' },
      attempt: 2,
      nested: { list: [1, 'x', true, 0.5] },
    })
    expect(paid).toMatchObject({ level: 'info', message: 'Paid' })
    expect(JSON.parse(String(paid?.['data']))).toMatchObject({ amount: 12.5 })
  })
})

describe('POST /otlp/v1/logs', () => {
  it('answers success in the encoding of the request', async () => {
    const { keys } = await harness().createTenant()
    const json = await post(keys.live_secret, requestOf(record()))
    expect([json.status, json.text, json.headers['content-type']]).toEqual([
      200,
      '{}',
      'application/json; charset=utf-8',
    ])
    const empty = await post(keys.live_secret, Buffer.alloc(0), { 'content-type': PROTOBUF })
    expect([empty.status, empty.bytes.length, empty.headers['content-type']]).toEqual([
      200,
      0,
      PROTOBUF,
    ])
  })

  it('stores integers beyond 2^53 with all digits and returns them', async () => {
    const { keys, org_id } = await harness().createTenant()
    const attributes = [
      { key: 'order', value: { intValue: BIG } },
      { key: 'least', value: { intValue: '-9223372036854775808' } },
    ]
    await post(keys.live_secret, requestOf(record({ attributes, body: { intValue: BIG } })))
    const [row] = await flushed(org_id, 1)
    expect(row?.['message']).toBe(BIG)
    const { body } = await harness().app.inject({
      url: `/v1/edge/logs?org_id=${org_id}`,
      headers: { authorization: `Bearer ${await harness().signIn(org_id, 'member')}` },
    })
    expect(body).toContain(`"order":${BIG},"least":-9223372036854775808}`)
  })

  it('stores and charges a repeated request once', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = requestOf(record(), record({ severityNumber: 24 }))
    expect((await post(keys.live_secret, body)).status).toBe(200)
    const packed = gzipSync(JSON.stringify(body))
    const again = await post(keys.live_secret, packed, { 'content-encoding': 'gzip' })
    expect(again.text).toBe('{}')
    const usage = await harness()
      .stores.db.selectFrom('usage_events')
      .select(['meter', 'quantity'])
      .where('org_id', '=', org_id)
      .execute()
    expect(usage).toEqual([{ meter: 'edge_log', quantity: 2 }])
  })

  it('reports rejected records as a partial success', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = requestOf(record(), record({ body: { stringValue: 'x'.repeat(70_000) } }))
    const { status, text } = await post(keys.live_secret, body)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: '1',
          errorMessage:
            'Logs received; 1 of 2 refused, the first: records.1.message must not have more than 65536 characters',
        },
      },
    ])
    await flushed(org_id, 1)
  })

  it.each([
    ['no key', undefined, {}, 401, 16],
    ['another content type', 'live_secret', { 'content-type': 'text/plain' }, 400, 3],
    ['a list that is none', 'live_secret', {}, 400, 3],
    ['a public key', 'live_public', {}, 403, 7],
  ] as const)('refuses %s with a Status in JSON', async (_, kind, headers, status, code) => {
    const { keys } = await harness().createTenant()
    const answer = await post(kind && keys[kind], { resourceLogs: 7 }, headers)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toEqual({ code, message: expect.any(String) as string })
  })

  it('refuses what is not protobuf, too large, or too deep, with a Status in protobuf', async () => {
    const { keys } = await harness().createTenant()
    const headers = { 'content-type': PROTOBUF }
    const send = async (payload: Buffer, more = {}) => {
      const { status, bytes } = await post(keys.live_secret, payload, { ...headers, ...more })
      return [status, statusOf(bytes)]
    }
    const message = 'The request body is not a valid protobuf message'
    expect(await send(Buffer.from('{"resourceLogs":[]}'))).toEqual([400, { code: 3, message }])
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toEqual([
      400,
      { code: 3, message: 'The request body is larger than 200000 bytes' },
    ])
    expect(await send(nested(200))).toEqual([
      400,
      { code: 3, message: 'The request body has values nested more than 64 levels deep' },
    ])
  })

  it('answers an unexpected failure with 503, which exporters retry', async () => {
    const { keys } = await harness().createTenant()
    const failing = vi.spyOn(harness().parts.telemetry.logs, 'ingestEntries')
    failing.mockRejectedValueOnce(new Error('Connection terminated'))
    const { status, headers, text } = await post(keys.live_secret, requestOf(record()))
    expect([status, headers['retry-after'], JSON.parse(text)]).toEqual([
      503,
      '5',
      { code: 14, message: expect.any(String) as string },
    ])
  })
})

/** A record with a list in a list, and so on, as its body. */
function nested(levels: number): Buffer {
  const wrap = (path: readonly number[], bytes: Uint8Array) =>
    path.toReversed().reduce((inner, field) => {
      const writer = new PbfWriter()
      writer.writeBytesField(field, inner)
      return writer.finish()
    }, bytes)
  const value = Array.from({ length: levels }).reduce<Uint8Array>(
    (inner) => wrap([5, 1], inner),
    new Uint8Array(),
  )
  return Buffer.from(wrap([1, 2, 2, 5], value))
}
