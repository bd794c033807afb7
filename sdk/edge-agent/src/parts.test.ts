/** The small parts: buffer limits, entries, lines, pauses, and who has a folder. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBuffer } from './buffer.ts'
import { entryLine } from './entry.ts'
import { readLine, splitLines } from './lines.ts'
import { lockFolder } from './lock.ts'
import { BACKOFF_MS_MAX, backoffMs } from './pauses.ts'
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

  const fill = (bytesMax: number, underWay?: () => Segment | undefined) => {
    const segments = openSegments({
      folder,
      entries_max: 5,
      bytes_max: 1_000,
      onFault: () => undefined,
    })
    const told: (string | undefined)[] = []
    const buffer = createBuffer(
      segments,
      bytesMax,
      (segment) => segment === underWay?.(),
      (message) => told.push(message),
    )
    const line = (n: number) => `{"n":${String(n).padStart(3, '0')}}\n`
    return { segments, buffer, told, line, numbers: () => numbersIn(segments) }
  }
  const numbersIn = (segments: ReturnType<typeof openSegments>) => {
    segments.seal()
    return segments
      .sealed()
      .flatMap((segment) => segments.read(segment).lines)
      .map((line) => (JSON.parse(line.replaceAll(/:0+(?=\d)/g, ':')) as { n: number }).n)
  }

  it('that is full takes nothing below error, and says so', async () => {
    const { buffer, told, line, segments } = fill(10 * 10)
    const taken = Array.from({ length: 12 }, (_, n) =>
      buffer.add(line(n).replace('{', '{ '), 'info'),
    )
    expect(taken.filter(Boolean)).toHaveLength(9)
    expect(buffer.dropped).toMatchObject({ buffer_full: 3, evicted: 0 })
    expect(told.at(-1)).toContain('full')
    await segments.close()
  })

  it('that is full takes errors in the place of the oldest entries, and counts those', async () => {
    const { buffer, line, segments } = fill(10 * 20)
    for (let n = 0; n < 20; n += 1) expect(buffer.add(line(n), 'info')).toBe(true)
    expect(buffer.add(line(20), 'fatal')).toBe(true)
    expect(buffer.dropped).toMatchObject({ buffer_full: 0, evicted: 5 })
    expect(segments.totals().bytes).toBeLessThanOrEqual(200)
    expect(segments.totals().entries).toBe(16)
    await segments.close()
  })

  it('keeps the batch that is under way, whatever comes', async () => {
    const { buffer, line, segments } = fill(10 * 10, () => segments.sealed()[0])
    for (let n = 0; n < 10; n += 1) buffer.add(line(n), 'info')
    const [first] = segments.sealed()
    expect(buffer.add(line(10), 'error')).toBe(true)
    expect(segments.sealed()[0]).toBe(first)
    expect(buffer.dropped.evicted).toBe(5)
    await segments.close()
  })

  it('is taken over from a process that is gone, from one with the same number too', () => {
    for (const stale of ['999999999 boot 1', `${process.pid} another-boot 1`, '', 'nonsense']) {
      writeFileSync(join(folder, 'agent.lock'), stale)
      const lock = lockFolder(folder)
      expect(() => lockFolder(folder)).toThrow(/in use by process/)
      lock.release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('is not let go of by one that does not have it', () => {
    const lock = lockFolder(folder)
    writeFileSync(join(folder, 'agent.lock'), '1 somebody else')
    lock.release()
    expect(readdirSync(folder)).toEqual(['agent.lock'])
  })
})

describe('an entry', () => {
  const entryOf = (message: unknown, fields: unknown = {}): unknown =>
    JSON.parse(
      entryLine('till', 'warn', message as string, fields as LogFields, LIMITS, T0),
    ) as unknown

  it('has what was handed in, and the time', () => {
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
      device_id: 'till',
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

  it('is made of anything without a throw', () => {
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

  it('are put together from pieces, the last also without an end', async () => {
    expect(await split('on', 'e\r\ntw', 'o\n\n \nth', 'ree')).toEqual(['one', 'two', 'three'])
  })

  it('do not grow without end', async () => {
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
  ])('%s is read', (line, entry) => expect(readLine(line, 'info')).toEqual(entry))

  it('have the levels of pino and bunyan', () => {
    const levels = [10, 20, 30, 40, 50, 60].map(
      (level) => readLine(`{"msg":"m","level":${level}}`, 'info').level,
    )
    expect(levels).toEqual(['debug', 'debug', 'info', 'warn', 'error', 'fatal'])
  })
})

describe('pauses', () => {
  it('double from 1 to 60 seconds, less up to half by chance', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 99].map((failures) => backoffMs(failures, 0))
    expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, BACKOFF_MS_MAX])
    expect(backoffMs(99, 1)).toBe(30_000)
  })
})

describe('reports', () => {
  it('are made when something begins and when it is over', () => {
    const told: string[] = []
    const say = createReporter((message) => {
      told.push(message)
      throw new Error('reports may fail')
    })
    for (const message of [undefined, 'away', 'away', undefined, undefined, 'away']) {
      say('service', message)
    }
    expect(told).toEqual(['away', 'The service is in order again', 'away'])
  })
})
