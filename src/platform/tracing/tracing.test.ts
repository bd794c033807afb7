import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import { createLog } from '../log.ts'
import { traced } from './dispatches.ts'
import { areHeaders, readHeaders } from './headers.ts'
import { type FinishedSpan, openTracing } from './index.ts'

type Attribute = { key: string; value: Record<string, unknown> }
type WireSpan = {
  traceId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code: number }
}
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}
type Received = { path: string | undefined; authorization: string | undefined; body: Export }

/** A collector as the OpenTelemetry Protocol describes it: OTLP over HTTP with JSON. */
async function startCollector(status = 200) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Export
      received.push({ path: request.url, authorization: request.headers.authorization, body })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const spans = () =>
    received.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    )
  return { url: `http://127.0.0.1:${port}/v1/traces`, received, spans }
}

const clock = { now: () => new Date(1_772_366_400_025) }
const OPTIONS = { headers: {}, percent: 100, version: '1.2.3', clock, log: createLog('fatal') }
const SPAN: FinishedSpan = {
  name: 'GET /v1/credits',
  kind: 'server',
  duration_ms: 25,
  attributes: { 'http.request.method': 'GET', 'http.response.status_code': 500 },
  is_error: true,
}

describe('tracing', () => {
  it('sends spans with their times, attributes and parent to the collector', async () => {
    const { url, received, spans } = await startCollector()
    const tracing = await openTracing({ ...OPTIONS, url, headers: { authorization: 'Bearer x' } })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    tracing.record({ ...SPAN, traceparent: `00-${traceId}-00f067aa0ba902b7-00` })
    await tracing.close()
    expect(received).toMatchObject([{ path: '/v1/traces', authorization: 'Bearer x' }])
    const { attributes } = received[0]?.body.resourceSpans[0]?.resource ?? {}
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'vigil' } })
    expect(attributes).toContainEqual({ key: 'service.version', value: { stringValue: '1.2.3' } })
    expect(spans()).toMatchObject([
      {
        traceId,
        parentSpanId: '00f067aa0ba902b7',
        name: 'GET /v1/credits',
        kind: 2,
        startTimeUnixNano: '1772366400000000000',
        endTimeUnixNano: '1772366400025000000',
        attributes: [
          { key: 'http.request.method', value: { stringValue: 'GET' } },
          { key: 'http.response.status_code', value: { intValue: 500 } },
        ],
        status: { code: 2 },
      },
    ])
  })

  it('samples by the id of the trace and not by the flag of the caller', async () => {
    const { url, spans } = await startCollector()
    const tracing = await openTracing({ ...OPTIONS, url, percent: 1 })
    const [low, high] = ['0'.repeat(31).concat('1'), 'f'.repeat(8).concat('0'.repeat(24))]
    for (const id of [low, high]) {
      tracing.record({ ...SPAN, traceparent: `00-${id}-00f067aa0ba902b7-01` })
    }
    await tracing.close()
    expect(spans().map(({ traceId }) => traceId)).toEqual([low])
  })

  it('begins a new trace without a usable parent', async () => {
    const { url, spans } = await startCollector()
    const tracing = await openTracing({ ...OPTIONS, url })
    for (const traceparent of [undefined, '', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
      tracing.record({ ...SPAN, traceparent })
    }
    await tracing.close()
    expect(spans()).toHaveLength(4)
    for (const { parentSpanId } of spans()) expect(parentSpanId).toBeUndefined()
    expect(new Set(spans().map(({ traceId }) => traceId)).size).toBe(4)
  })

  it('reports a collector that refuses spans once, and goes on', async () => {
    const { url } = await startCollector(400)
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const tracing = await openTracing({ ...OPTIONS, url, log })
    tracing.record(SPAN)
    await tracing.close()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('traces could not be sent to VIGIL_TRACES_URL')
  })
})

describe('a request', () => {
  it('has a span with its route, and continues the trace of the caller', async () => {
    const recorded: FinishedSpan[] = []
    const tracing = { record: (span: FinishedSpan) => void recorded.push(span) }
    const app = createBareServer({ tracing })
    app.get('/things/:id', { config: { access: 'public' } }, () => ({ found: true }))
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await app.inject({ url: '/things/7?email=jane@example.com', headers: { traceparent } })
    await app.inject({ url: '/nothing/here' })
    expect(recorded).toMatchObject([
      { name: 'GET /things/:id', kind: 'server', is_error: false, traceparent },
      { name: 'GET unknown', attributes: { 'http.response.status_code': 404 }, is_error: false },
    ])
    expect(JSON.stringify(recorded)).not.toContain('jane')
    await app.close()
  })
})

describe('a traced dispatch', () => {
  it('records its outcome and leaves a dispatch without tracing unchanged', async () => {
    const recorded: FinishedSpan[] = []
    const tracing = {
      record: (span: FinishedSpan) => void recorded.push(span),
      close: () => Promise.resolve(),
    }
    const send = (job: string) => Promise.resolve(`${job} sent`)
    const describeJob = (job: string, outcome: string) => ({
      name: job,
      attributes: { outcome },
      is_error: false,
    })
    expect(traced(undefined, send, describeJob)).toBe(send)
    const { signal } = new AbortController()
    expect(await traced(tracing, send, describeJob)('a', signal)).toBe('a sent')
    expect(recorded).toMatchObject([
      { name: 'a', kind: 'client', attributes: { outcome: 'a sent' }, is_error: false },
    ])
  })
})

describe('headers of the collector', () => {
  it('are read as pairs', () => {
    expect(readHeaders('authorization=Bearer a=b, x-team = shop ')).toEqual({
      authorization: 'Bearer a=b',
      'x-team': 'shop',
    })
    expect(readHeaders(undefined)).toEqual({})
  })

  it.each(['a', '=b', 'a b=c', 'a=', 'a=b,,c=d', 'a=b\nc'])('are refused as %j', (text) => {
    expect(areHeaders(text)).toBe(false)
  })
})
