import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutbox, type OutboxOptions } from './outbox.ts'
import { BATCHES_MAX } from './queue.ts'
import { createStore } from './storage.ts'
import { createBatchStore, STORED_CHARS_MAX } from './stored-batches.ts'
import { BACKOFF_MS_MAX, BACKOFF_MS_MIN, backoffMs } from './transport.ts'

type Answer = Response | 'broken'

/** A page with an outbox, whose service, network and storage are scripted. */
function startPage(more: Partial<OutboxOptions> = {}, area = new Map<string, string>()) {
  const page = {
    area,
    sent: [] as string[],
    beacons: [] as string[],
    answers: [] as Answer[],
    isOnline: true,
    forbidden: 0,
  }
  const outbox = createOutbox({
    url: 'https://vigil.example/v1/rum/events?api_key=pk_test_1',
    flush_ms: 10_000,
    stored: createBatchStore(createStore('vigil:', () => asStorage(area))),
    send: (_url, init) => {
      page.sent.push(init?.body as string)
      const answer = page.answers.shift() ?? new Response('{}')
      return answer === 'broken' ? Promise.reject(new TypeError()) : Promise.resolve(answer)
    },
    beacon: (_url, body) => {
      page.beacons.push(body)
      return true
    },
    isOnline: () => page.isOnline,
    now: () => Date.now(),
    beforeFlush: () => undefined,
    onForbidden: () => {
      page.forbidden += 1
      outbox.forget()
    },
    ...more,
  })
  return Object.assign(page, { outbox })
}

const asStorage = (area: Map<string, string>): Storage =>
  ({
    getItem: (name: string) => area.get(name) ?? null,
    setItem: (name: string, value: string) => void area.set(name, value),
    removeItem: (name: string) => void area.delete(name),
  }) as unknown as Storage

const event = (n: number, padding = 0): string => JSON.stringify({ n, text: 'x'.repeat(padding) })

const numbers = (bodies: string[]): number[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body) as { events: { n: number }[] }).events.map(({ n }) => n),
  )

describe('the outbox', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

  it('collects events for the configured time', async () => {
    const page = startPage()
    page.outbox.push('s', event(1))
    await pass(9_999)
    expect(page.sent).toEqual([])
    page.outbox.push('s', event(2))
    await pass(1)
    expect(numbers(page.sent)).toEqual([1, 2])
    await pass(60_000)
    expect(page.sent).toHaveLength(1)
  })

  it('sends a full batch immediately, one after another', async () => {
    const page = startPage()
    for (let n = 0; n < 150; n += 1) page.outbox.push('s', event(n))
    expect(page.sent).toHaveLength(1)
    await pass(0)
    expect(numbers(page.sent)).toEqual(Array.from({ length: 150 }, (_, n) => n))
  })

  it('doubles its pauses up to a minute while there is no answer, and sends the same bytes', async () => {
    const page = startPage()
    page.answers = Array<Answer>(12).fill('broken')
    page.outbox.push('s', event(1))
    page.outbox.flush()
    await pass(10 * 60_000)
    expect(page.sent.length).toBeGreaterThanOrEqual(13)
    expect(new Set(page.sent).size).toBe(1)
    expect(page.sent).toHaveLength(13)
  })

  it('pauses between 1 and 60 seconds', () => {
    const pauses = Array.from({ length: 20 }, (_, index) => backoffMs(index + 1, index / 20))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(BACKOFF_MS_MIN)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(BACKOFF_MS_MAX)
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((failures) => backoffMs(failures, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ])
    expect(backoffMs(8, 0.999)).toBeGreaterThan(44_000)
  })

  it.each([
    ['header', new Response('{}', { status: 429, headers: { 'retry-after': '120' } })],
    ['body', new Response('{"content":{"retry_after":120}}', { status: 429 })],
  ])('waits for the time that the service requests in its %s', async (_place, answer) => {
    const page = startPage()
    page.answers = [answer]
    page.outbox.push('s', event(1))
    page.outbox.flush()
    await pass(0)
    for (let n = 2; n < 60; n += 1) page.outbox.push('s', event(n))
    await pass(119_000)
    expect(page.sent).toHaveLength(1)
    await pass(1_001)
    expect(numbers(page.sent.slice(1))).toEqual(Array.from({ length: 59 }, (_, index) => index + 1))
  })

  it('reads every answer to its end, because the browser counts it as in flight until then', async () => {
    const page = startPage()
    const answers = [200, 500, 429, 400, 403].map((status) => new Response('{}', { status }))
    page.answers = [...answers]
    for (let n = 1; n <= answers.length; n += 1) page.outbox.push(`${n}`, event(n))
    page.outbox.flush()
    await pass(10 * 60_000)
    expect(answers.map(({ bodyUsed }) => bodyUsed)).toEqual(answers.map(() => true))
  })

  it('considers a batch sent when it was accepted and the body of the answer breaks off', async () => {
    const page = startPage()
    const broken = new ReadableStream({ start: (body) => body.error(new TypeError()) })
    page.answers = [new Response(broken)]
    page.outbox.push('s', event(1))
    page.outbox.flush()
    await pass(10 * 60_000)
    expect(page.sent).toHaveLength(1)
  })

  it('drops and counts a batch that the service refuses, and sends the next one', async () => {
    const page = startPage()
    page.answers = [new Response('{}', { status: 400 })]
    page.outbox.push('a', event(1))
    page.outbox.push('b', event(2))
    page.outbox.flush()
    await pass(60_000)
    expect(numbers(page.sent)).toEqual([1, 2])
    expect(page.outbox.takeDropped()).toBe(1)
  })

  it('stops sending when the key is refused', async () => {
    const page = startPage()
    page.answers = [new Response('{}', { status: 403 })]
    page.outbox.push('a', event(1))
    page.outbox.push('b', event(2))
    page.outbox.flush()
    await pass(60_000)
    page.outbox.push('b', event(3))
    await pass(60_000)
    expect(page.sent).toHaveLength(1)
    expect(page.forbidden).toBe(1)
  })

  it('stores events that are recorded offline, and another page sends them once', async () => {
    const page = startPage()
    page.isOnline = false
    for (let n = 0; n < 120; n += 1) page.outbox.push('s', event(n))
    page.outbox.leave()
    expect([page.sent, page.beacons]).toEqual([[], []])
    expect(page.area.size).toBe(1)
    const next = startPage({}, page.area)
    next.outbox.push('t', event(120))
    next.outbox.flush()
    await pass(0)
    expect(numbers(next.sent)).toEqual(Array.from({ length: 121 }, (_, n) => n))
    expect(page.area.size).toBe(0)
    page.isOnline = true
    page.outbox.flush()
    await pass(0)
    expect(page.sent).toEqual([])
  })

  it('buffers events in memory when the storage is full, without duplicating stored ones', async () => {
    const full = new Map([['vigil:queue', '[{"body":"{\\"events\\":[{\\"n\\":0}]}","count":1}]']])
    full.set = () => {
      throw new Error('full')
    }
    const page = startPage({}, full)
    page.isOnline = false
    page.outbox.push('s', event(1))
    page.outbox.leave()
    page.isOnline = true
    page.outbox.flush()
    await pass(0)
    expect(numbers(page.sent)).toEqual([0, 1])
  })

  it('limits the storage: the oldest events are dropped and counted', () => {
    const page = startPage()
    page.isOnline = false
    const count = BATCHES_MAX * 15
    for (let n = 0; n < count; n += 1) page.outbox.push('s', event(n, 1_000))
    page.outbox.leave()
    const stored = page.area.get('vigil:queue') ?? ''
    expect(stored.length).toBeLessThanOrEqual(STORED_CHARS_MAX)
    expect(stored.length).toBeGreaterThan(STORED_CHARS_MAX * 0.8)
    const remaining = numbers((JSON.parse(stored) as { body: string }[]).map(({ body }) => body))
    expect(remaining.at(-1)).toBe(count - 1)
    expect(page.outbox.takeDropped()).toBe(count - remaining.length)
  })

  it('sends by beacon what browsers accept from a page, and stores the rest', () => {
    const page = startPage({ send: () => new Promise(() => undefined) })
    for (let n = 0; n < 100; n += 1) page.outbox.push('s', event(n, 1_000))
    page.outbox.leave()
    const bytes = page.beacons.reduce((sum, body) => sum + body.length, 0)
    // The first batch is in flight as a request, which counts toward the same 60 KB.
    expect(bytes).toBeLessThanOrEqual(60_000 - 14_000)
    expect(page.beacons).toHaveLength(2)
    const stored = JSON.parse(page.area.get('vigil:queue') ?? '[]') as { body: string }[]
    const rest = numbers(stored.map(({ body }) => body))
    const first = numbers(page.beacons)
    expect([...first, ...rest]).toEqual(
      Array.from({ length: 100 - (first[0] ?? 0) }, (_, n) => n + (first[0] ?? 0)),
    )
  })

  it('sends no beacon while the service has requested a pause', async () => {
    const page = startPage()
    page.answers = [new Response('{}', { status: 429, headers: { 'retry-after': '30' } })]
    page.outbox.push('s', event(1))
    page.outbox.flush()
    await pass(0)
    page.outbox.leave()
    expect(page.beacons).toEqual([])
    await pass(30_001)
    expect(numbers(page.sent)).toEqual([1, 1])
  })

  it('discards everything, including the batch of a request in flight that fails', async () => {
    const page = startPage()
    page.answers = ['broken']
    page.outbox.push('s', event(1))
    page.outbox.flush()
    page.outbox.forget()
    await pass(120_000)
    page.outbox.push('s', event(2))
    page.outbox.leave()
    expect(page.sent).toHaveLength(1)
    expect([...page.area.keys()]).toEqual([])
  })

  it('ignores invalid values in its storage', async () => {
    for (const invalid of ['nonsense', '{"a":1}', '[1,null,{"body":7}]', '7']) {
      const page = startPage({}, new Map([['vigil:queue', invalid]]))
      page.outbox.push('s', event(1))
      page.outbox.flush()
      await pass(0)
      expect(numbers(page.sent)).toEqual([1])
    }
  })
})
