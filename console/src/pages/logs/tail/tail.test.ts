import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import {
  added,
  EMPTY_BUFFER,
  held,
  released,
  SHOWN_MAX,
  skippedSome,
  WAITING_MAX,
} from './buffer.ts'
import { createEventReader } from './event-stream.ts'
import { gapDates, missedOf, waitBefore } from './gap.ts'

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

describe('what the tail shows', () => {
  it('has the newest first and each entry once', () => {
    const first = added(EMPTY_BUFFER, [entry('a'), entry('b'), entry('a')])
    const second = added(first, [entry('b'), entry('c')])
    expect(idsOf(second.shown)).toEqual(['c', 'b', 'a'])
    expect(added(second, [entry('a')])).toBe(second)
  })

  it('stays as it is while held, and tells what waits', () => {
    const before = added(EMPTY_BUFFER, [entry('a')])
    const holding = added(added(held(before), [entry('b')]), [entry('a'), entry('c')])
    expect([idsOf(holding.shown), idsOf(holding.waiting)]).toEqual([['a'], ['c', 'b']])
    const after = released(holding)
    expect([idsOf(after.shown), after.waiting, after.is_held]).toEqual([['c', 'b', 'a'], [], false])
  })

  it('is bounded, held or not, and counts what it left out', () => {
    const shown = added(EMPTY_BUFFER, many(SHOWN_MAX + 5))
    expect([shown.shown.length, shown.skipped]).toEqual([SHOWN_MAX, 0])
    expect(shown.shown[0]?.id).toBe(`e${SHOWN_MAX + 4}`)
    const holding = added(held(EMPTY_BUFFER), many(WAITING_MAX + 7))
    expect([holding.waiting.length, holding.skipped]).toEqual([WAITING_MAX, 7])
    expect(skippedSome(holding, 3).skipped).toBe(10)
    expect(released(added(held(shown), many(10, 'x'))).shown).toHaveLength(SHOWN_MAX)
  })
})

describe('the stream', () => {
  it('is read whole, wherever it was cut', () => {
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

  it('with an event that never ends is given up', () => {
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

  it('what was received since is taken, in the order in which it came', () => {
    const logs = [
      entry('late', '2026-03-01T12:00:09.000Z'),
      entry('old', '2026-03-01T11:59:59.999Z'),
      entry('early', '2026-03-01T12:00:01.000Z'),
    ]
    const { entries, skipped } = missedOf(page(logs, 9000), last)
    expect([idsOf(entries), skipped]).toEqual([['early', 'late'], 0])
    expect(gapDates(last)).toEqual({ start_date: '2026-03-01T11:55:00.000Z' })
  })

  it('what does not fit is told', () => {
    const logs = [entry('a', '2026-03-01T12:00:09.000Z'), entry('b', '2026-03-01T12:00:08.000Z')]
    expect(missedOf(page(logs, 42), last).skipped).toBe(40)
  })

  it('one waits longer with every failure, but never long', () => {
    expect([1, 2, 3, 10, 1000].map((failures) => waitBefore(failures, 1))).toEqual([
      500, 1000, 2000, 30_000, 30_000,
    ])
    expect(waitBefore(1, 0)).toBe(250)
  })
})
