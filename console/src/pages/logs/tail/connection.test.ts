import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import type { Dates } from '../time-range.ts'
import { createTailConnection, type TailState } from './connection.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

const entry = (id: string, received_at = NOW.toISOString()) =>
  ({ id, received_at, timestamp: received_at, level: 'info', message: id }) as LogRecord
const pageOf = (...logs: LogRecord[]): LogPage => ({
  logs,
  pagination: { page: 1, limit: 500, total: logs.length, pages: 1 },
})

/** A service whose streams are written and ended by the test. */
function createService() {
  type Stream = { write: (text: string) => void; end: () => void; signal: AbortSignal }
  const streams: Stream[] = []
  const queries: Dates[] = []
  const service = {
    streams,
    queries,
    refusals: [] as Error[],
    /** Errors for the next queries. */
    unreadable: [] as Error[],
    page: pageOf(),
    open: (signal: AbortSignal) => {
      const refusal = service.refusals.shift()
      if (refusal) return Promise.reject(refusal)
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      signal.addEventListener(
        'abort',
        () => void writer.abort(signal.reason).catch(() => undefined),
      )
      const write = (text: string) =>
        void writer.write(new TextEncoder().encode(text)).catch(() => undefined)
      streams.push({ write, end: () => void writer.close(), signal })
      const headers = { date: NOW.toUTCString() }
      return Promise.resolve(new Response(readable, { headers }))
    },
    read: (dates: Dates) => {
      queries.push(dates)
      const failure = service.unreadable.shift()
      if (failure) return Promise.reject(failure)
      return Promise.resolve(service.page)
    },
    log: (log: LogRecord) => `event: log\ndata: ${JSON.stringify(log)}\n\n`,
  }
  return service
}

function follow(service: ReturnType<typeof createService>, settle_ms = 600_000) {
  let state: TailState | undefined
  const connection = createTailConnection({
    open: service.open,
    read: service.read,
    onState: (next) => {
      state = next
    },
    now: () => NOW,
    random: () => 0,
    show_ms: 0,
    settle_ms,
  })
  onTestFinished(() => connection.close())
  const shown = () => state?.buffer.shown.map(({ id }) => id)
  const until = async (done: () => boolean) => await vi.waitUntil(done, { interval: 2 })
  return { connection, state: () => state, shown, until }
}

describe('the live tail', () => {
  it('starts with existing logs and continues with new ones', async () => {
    const service = createService()
    service.page = pageOf(
      entry('b', '2026-03-01T11:59:00.000Z'),
      entry('a', '2026-03-01T11:58:00.000Z'),
    )
    const { shown, state, until } = follow(service)
    await until(() => state()?.link === 'open')
    expect(service.queries).toEqual([{ start_date: '2026-03-01T11:45:00.000Z' }])
    service.streams[0]?.write(`${service.log(entry('b'))}${service.log(entry('c'))}`)
    await until(() => shown()?.length === 3)
    expect(shown()).toEqual(['c', 'b', 'a'])
  })

  it('reconnects when the stream ends and shows what it missed', async () => {
    const service = createService()
    const { shown, state, until } = follow(service)
    await until(() => state()?.link === 'open')
    service.streams[0]?.write(service.log(entry('a', '2026-03-01T12:00:05.000Z')))
    await until(() => shown()?.length === 1)
    service.page = pageOf(
      entry('missed', '2026-03-01T12:00:09.000Z'),
      entry('a', '2026-03-01T12:00:05.000Z'),
      entry('long ago', '2026-03-01T11:59:00.000Z'),
    )
    service.streams[0]?.end()
    await until(() => service.streams.length === 2 && shown()?.length === 2)
    expect(shown()).toEqual(['missed', 'a'])
    expect(service.queries.at(-1)).toEqual({ start_date: '2026-03-01T11:55:05.000Z' })
  })

  it('shows logs that were not yet readable when the stream began, once', async () => {
    const service = createService()
    const { shown, state, until } = follow(service, 30)
    service.page = pageOf(entry('first', '2026-03-01T11:59:58.000Z'))
    await until(() => state()?.link === 'open' && shown()?.length === 1)
    // Ingested before the stream began, readable a moment later.
    service.page = pageOf(
      entry('streamed', '2026-03-01T12:00:02.000Z'),
      entry('late', '2026-03-01T11:59:59.900Z'),
      entry('first', '2026-03-01T11:59:58.000Z'),
    )
    await until(() => shown()?.length === 2)
    expect(shown()).toEqual(['late', 'first'])
    service.streams[0]?.write(service.log(entry('streamed', '2026-03-01T12:00:02.000Z')))
    await until(() => shown()?.length === 3)
    expect(shown()).toEqual(['streamed', 'late', 'first'])
  })

  it('queries missed logs again after the first attempt failed', async () => {
    const service = createService()
    const { shown, state, until } = follow(service)
    await until(() => state()?.link === 'open')
    service.streams[0]?.write(service.log(entry('a', '2026-03-01T12:00:05.000Z')))
    await until(() => shown()?.length === 1)
    service.unreadable.push(new Error('logs are unavailable'))
    service.streams[0]?.end()
    await until(() => service.streams.length === 2 && state()?.link === 'open')
    service.streams[1]?.write(service.log(entry('c', '2026-03-01T12:10:00.000Z')))
    await until(() => shown()?.length === 2)
    service.page = pageOf(
      entry('c', '2026-03-01T12:10:00.000Z'),
      entry('missed', '2026-03-01T12:05:00.000Z'),
    )
    service.streams[1]?.end()
    await until(() => shown()?.length === 3)
    expect(service.queries.at(-1)).toEqual({ start_date: '2026-03-01T11:55:05.000Z' })
  })

  it('reports that it waits after a failure, and that it was refused', async () => {
    const service = createService()
    service.refusals.push(new ApiError('Rate limit exceeded', { status: 429 }))
    service.refusals.push(new ApiError('q must have words', { status: 400 }))
    const { connection, state, until } = follow(service)
    await until(() => state()?.link === 'waiting')
    expect(state()?.problem).toBe('Rate limit exceeded')
    connection.retry()
    await until(() => state()?.link === 'refused')
    expect(state()?.problem).toBe('q must have words')
  })

  it('counts what the service dropped', async () => {
    const service = createService()
    const { state, until } = follow(service)
    await until(() => state()?.link === 'open')
    service.streams[0]?.write('event: dropped\ndata: {"count":42}\n\n')
    await until(() => state()?.buffer.skipped === 42)
  })

  it('collects logs while it is paused and is disconnected while it sleeps', async () => {
    const service = createService()
    const { connection, shown, state, until } = follow(service)
    await until(() => state()?.link === 'open')
    connection.pause()
    service.streams[0]?.write(service.log(entry('a')))
    await until(() => state()?.buffer.pending.length === 1)
    expect(shown()).toEqual([])
    connection.resume()
    await until(() => shown()?.length === 1)
    connection.sleep()
    await until(() => state()?.link === 'asleep')
    expect(service.streams[0]?.signal.aborted).toBe(true)
    service.page = pageOf(entry('while asleep', '2026-03-01T12:30:00.000Z'))
    connection.wake()
    await until(() => state()?.link === 'open' && shown()?.length === 2)
    expect(shown()).toEqual(['while asleep', 'a'])
  })
})
