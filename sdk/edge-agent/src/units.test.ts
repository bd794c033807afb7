/** Tests the buffer, the lock, entries, lines, pauses and reports. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BACKOFF_MS_MAX, backoffMs } from './backoff.ts'
import { createBuffer } from './buffer.ts'
import { entryLine } from './entry.ts'
import { readLine, splitLines } from './lines.ts'
import { lockFolder } from './lock.ts'

import { createReporter } from './reporter.ts'
import { openSegments, type Segment } from './segments.ts'
import type { LogFields } from './types.ts'

const LIMITS = { message_chars_max: 50, data_bytes_max: 60 }
const T0 = Date.parse('2026-05-04T08:00:00.123Z')

describe('a folder', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-parts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const open = (bytesMax: number, inFlight?: () => Segment | undefined) => {
    const segments = openSegments({
      folder,
      entries_max: 5,
      bytes_max: 1_000,
      onFault: () => undefined,
    })
    const reports: (string | undefined)[] = []
    const buffer = createBuffer(
      segments,
      bytesMax,
      (segment) => segment === inFlight?.(),
      (message) => reports.push(message),
    )
    const line = (n: number) => `{"n":${String(n).padStart(3, '0')}}\n`
    return { segments, buffer, reports, line, numbers: () => numbersIn(segments) }
  }
  const numbersIn = (segments: ReturnType<typeof openSegments>) => {
    segments.seal()
    return segments
      .sealed()
      .flatMap((segment) => segments.read(segment).lines)
      .map((line) => (JSON.parse(line.replaceAll(/:0+(?=\d)/g, ':')) as { n: number }).n)
  }

  it('that is full drops entries below error and reports it', async () => {
    const { buffer, reports, line, segments } = open(10 * 10)
    const stored = Array.from({ length: 12 }, (_, n) =>
      buffer.add(line(n).replace('{', '{ '), 'info'),
    )
    expect(stored.filter(Boolean)).toHaveLength(9)
    expect(buffer.dropped).toMatchObject({ buffer_full: 3, evicted: 0 })
    expect(reports.at(-1)).toContain('full')
    await segments.close()
  })

  it('that is full replaces the oldest entries by errors and counts them', async () => {
    const { buffer, line, segments } = open(10 * 20)
    for (let n = 0; n < 20; n += 1) expect(buffer.add(line(n), 'info')).toBe(true)
    expect(buffer.add(line(20), 'fatal')).toBe(true)
    expect(buffer.dropped).toMatchObject({ buffer_full: 0, evicted: 5 })
    expect(segments.totals().bytes).toBeLessThanOrEqual(200)
    expect(segments.totals().entries).toBe(16)
    await segments.close()
  })

  it('does not drop the batch that is in flight', async () => {
    const { buffer, line, segments } = open(10 * 10, () => segments.sealed()[0])
    for (let n = 0; n < 10; n += 1) buffer.add(line(n), 'info')
    const [first] = segments.sealed()
    expect(buffer.add(line(10), 'error')).toBe(true)
    expect(segments.sealed()[0]).toBe(first)
    expect(buffer.dropped.evicted).toBe(5)
    await segments.close()
  })

  it('is taken over from a process that has ended, also with the same process id', () => {
    for (const stale of ['999999999 boot 1', `${process.pid} another-boot 1`, '', 'nonsense']) {
      writeFileSync(join(folder, 'agent.lock'), stale)
      const lock = lockFolder(folder)
      expect(() => lockFolder(folder)).toThrow(/in use by process/)
      lock.release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('is not released by a process that does not hold the lock', () => {
    const lock = lockFolder(folder)
    writeFileSync(join(folder, 'agent.lock'), '1 another process')
    lock.release()
    expect(readdirSync(folder)).toEqual(['agent.lock'])
  })
})

describe('an entry', () => {
  const entryOf = (message: unknown, fields: unknown = {}): unknown =>
    JSON.parse(
      entryLine(
        {
          device_id: 'terminal',
          level: 'warn',
          message: message as string,
          fields: fields as LogFields,
          now_ms: T0,
        },
        LIMITS,
      ),
    ) as unknown

  it('can be of another device and time, unless the service would reject them', () => {
    const timestamp_ms = Date.parse('2026-03-01T12:00:00Z')
    expect(entryOf('m', { device_id: 'till-3', timestamp_ms })).toMatchObject({
      device_id: 'till-3',
      timestamp: '2026-03-01T12:00:00.000Z',
    })
    for (const [device_id, ms] of [
      ['', 9e15],
      ['a\0b', Number.NaN],
      [7, 'now'],
    ]) {
      expect(entryOf('m', { device_id, timestamp_ms: ms })).toMatchObject({
        device_id: 'terminal',
        timestamp: '2026-05-04T08:00:00.123Z',
      })
    }
  })

  it('has all its fields and the time', () => {
    const fields = {
      category: 'drawer',
      environment: 'live',
      error: { type: 'E', stack: 'at x', code: '7' },
      data: { a: [1] },
      tags: ['x'],
      trace_id: 't',
      span_id: 's',
    }
    expect(entryOf('m', fields)).toEqual({
      device_id: 'terminal',
      level: 'warn',
      message: 'm',
      timestamp: '2026-05-04T08:00:00.123Z',
      ...fields,
    })
  })

  it('is within the limits of the service', () => {
    const entry = entryOf('m'.repeat(99), {
      category: 'c'.repeat(999),
      data: { text: 'é'.repeat(30) },
      error: Object.assign(new Error('x'), { stack: 's'.repeat(99), code: 7 }),
      tags: Array(200).fill('t'.repeat(999)),
    }) as Record<string, string> & { tags: string[]; error: Record<string, string> }
    expect(entry['message']).toHaveLength(50)
    expect(entry['category']).toHaveLength(256)
    expect(entry['data']).toEqual({ left_out: '71 bytes are more than 60' })
    expect(entry.error).toEqual({ type: 'Error', stack: 's'.repeat(50), code: '7' })
    expect(entry.tags).toEqual(Array(100).fill('t'.repeat(256)))
  })

  it('is created from values of any type without an exception', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(entryOf(undefined)).toMatchObject({ message: 'undefined' })
    expect(entryOf(7n)).toMatchObject({ message: 'not possible as text' })
    expect(entryOf({ a: 1 }, { data: circle, tags: 'x', category: null })).toMatchObject({
      message: '{"a":1}',
      data: { left_out: expect.stringContaining('not possible') as string },
    })
  })
})

describe('lines', () => {
  async function* pieces(...some: string[]) {
    yield* await Promise.resolve(some)
  }
  const split = async (...some: string[]) => {
    const lines: string[] = []
    for await (const line of splitLines(pieces(...some))) lines.push(line)
    return lines
  }

  it('are assembled from pieces, including a last line without a line feed', async () => {
    expect(await split('on', 'e\r\ntw', 'o\n\n \nth', 'ree')).toEqual(['one', 'two', 'three'])
  })

  it('are split when they exceed the limit', async () => {
    const lines = await split(...Array<string>(30).fill('x'.repeat(100_000)))
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.join('')).toHaveLength(3_000_000)
  })

  it.each([
    ['plain', { level: 'info', message: 'plain', fields: {} }],
    ['{"msg":"m","level":50,"a":1}', { level: 'error', message: 'm', fields: { data: { a: 1 } } }],
    ['{"message":"m","level":"WARNING"}', { level: 'warn', message: 'm', fields: {} }],
    ['{"message":"m","level":"constructor"}', { level: 'info', message: 'm', fields: {} }],
    ['{"text":"m"}', { level: 'info', message: '{"text":"m"}', fields: {} }],
    ['{broken', { level: 'info', message: '{broken', fields: {} }],
  ])('%s is read as an entry', (line, entry) => expect(readLine(line, 'info')).toEqual(entry))

  it('have the levels of pino and bunyan', () => {
    const levels = [10, 20, 30, 40, 50, 60].map(
      (level) => readLine(`{"msg":"m","level":${level}}`, 'info').level,
    )
    expect(levels).toEqual(['debug', 'debug', 'info', 'warn', 'error', 'fatal'])
  })
})

describe('pauses', () => {
  it('double from 1 to 60 seconds, less up to half at random', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 99].map((failures) => backoffMs(failures, 0))
    expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, BACKOFF_MS_MAX])
    expect(backoffMs(99, 1)).toBe(30_000)
  })
})

describe('reports', () => {
  it('are made when a problem starts and when it ends', () => {
    const printed: string[] = []
    const report = createReporter((message) => {
      printed.push(message)
      throw new Error('callbacks can fail')
    })
    for (const message of [undefined, 'down', 'down', undefined, undefined, 'down']) {
      report('service', message)
    }
    expect(printed).toEqual(['down', 'The service has recovered', 'down'])
  })
})
