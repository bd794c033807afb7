import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import {
  EMPTY_BUFFER,
  PENDING_MAX,
  paused,
  resumed,
  SHOWN_MAX,
  withEntries,
  withSkipped,
} from './buffer.ts'
import { createEventReader } from './event-stream.ts'
import { gapDates, missedEntries, reconnectDelayMs } from './gap.ts'

const entry = (id: string, received_at = '2026-03-01T12:00:00.000Z'): LogRecord => ({
  id,
  device_id: 'till-1',
  level: 'info',
  message: id,
  timestamp: received_at,
  category: null,
  environment: null,
  error: null,
  data: null,
  tags: [],
  trace_id: null,
  span_id: null,
  received_at,
  error_fingerprint: null,
})
const many = (count: number, name = 'e') =>
  Array.from({ length: count }, (_, index) => entry(`${name}${index}`))
const idsOf = (entries: readonly LogRecord[]) => entries.map(({ id }) => id)

describe('the buffer of the live tail', () => {
  it('has the newest entry first and each entry once', () => {
    const first = withEntries(EMPTY_BUFFER, [entry('a'), entry('b'), entry('a')])
    const second = withEntries(first, [entry('b'), entry('c')])
    expect(idsOf(second.shown)).toEqual(['c', 'b', 'a'])
    expect(withEntries(second, [entry('a')])).toBe(second)
  })

  it('does not change while paused and counts pending entries', () => {
    const before = withEntries(EMPTY_BUFFER, [entry('a')])
    const holding = withEntries(withEntries(paused(before), [entry('b')]), [entry('a'), entry('c')])
    expect([idsOf(holding.shown), idsOf(holding.pending)]).toEqual([['a'], ['c', 'b']])
    const after = resumed(holding)
    expect([idsOf(after.shown), after.pending, after.is_paused]).toEqual([
      ['c', 'b', 'a'],
      [],
      false,
    ])
  })

  it('is bounded whether paused or not and counts skipped entries', () => {
    const shown = withEntries(EMPTY_BUFFER, many(SHOWN_MAX + 5))
    expect([shown.shown.length, shown.skipped]).toEqual([SHOWN_MAX, 0])
    expect(shown.shown[0]?.id).toBe(`e${SHOWN_MAX + 4}`)
    const holding = withEntries(paused(EMPTY_BUFFER), many(PENDING_MAX + 7))
    expect([holding.pending.length, holding.skipped]).toEqual([PENDING_MAX, 7])
    expect(withSkipped(holding, 3).skipped).toBe(10)
    expect(resumed(withEntries(paused(shown), many(10, 'x'))).shown).toHaveLength(SHOWN_MAX)
  })
})

describe('the event stream', () => {
  it('is parsed completely wherever it is split', () => {
    const text =
      'retry: 1000\n: connected\n\nevent: log\ndata: {"a":"x: y"}\n\n: here\n\nevent: dropped\r\ndata: 1\r\ndata: 2\r\n\r\ndata:\n\n'
    for (let cut = 0; cut <= text.length; cut += 1) {
      const read = createEventReader()
      expect([...read(text.slice(0, cut)), ...read(text.slice(cut))]).toEqual([
        { event: 'log', data: '{"a":"x: y"}' },
        { event: 'dropped', data: '1\n2' },
        { event: 'message', data: '' },
      ])
    }
  })

  it('fails on an event that never ends', () => {
    const read = createEventReader()
    expect(() => {
      for (let count = 0; count < 10; count += 1) read(`data: ${'x'.repeat(1_000_000)}`)
    }).toThrow('too long')
  })
})

describe('after a lost connection', () => {
  const last = new Date('2026-03-01T12:00:00.000Z')
  const page = (logs: LogRecord[], total = logs.length) => ({
    logs,
    pagination: { page: 1, limit: 500, total, pages: 1 },
  })

  it('takes later logs in order of ingestion', () => {
    const logs = [
      entry('late', '2026-03-01T12:00:09.000Z'),
      entry('old', '2026-03-01T11:59:59.999Z'),
      entry('early', '2026-03-01T12:00:01.000Z'),
    ]
    const { entries, skipped } = missedEntries(page(logs, 9000), last)
    expect([idsOf(entries), skipped]).toEqual([['early', 'late'], 0])
    expect(gapDates(last)).toEqual({ start_date: '2026-03-01T11:55:00.000Z' })
  })

  it('counts the logs that do not fit', () => {
    const logs = [entry('a', '2026-03-01T12:00:09.000Z'), entry('b', '2026-03-01T12:00:08.000Z')]
    expect(missedEntries(page(logs, 42), last).skipped).toBe(40)
  })

  it('waits longer with every failure, up to a limit', () => {
    expect([1, 2, 3, 10, 1000].map((failures) => reconnectDelayMs(failures, 1))).toEqual([
      500, 1000, 2000, 30_000, 30_000,
    ])
    expect(reconnectDelayMs(1, 0)).toBe(250)
  })
})
