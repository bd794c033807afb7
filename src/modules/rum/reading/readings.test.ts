/** Runs on the real engine, with rows from the real event reader. */

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../test/database.ts'
import { createClickHouse } from '../../../platform/clickhouse/client.ts'
import { EngineRefusal, EngineUnavailable } from '../../../platform/clickhouse/errors.ts'
import { createValidators } from '../../../platform/http/validation.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { groupError } from '../../error-groups/index.ts'
import { createEventReader, type EventContext } from '../event.ts'
import { createRumReadings } from './readings.ts'

const clickhouse = testClickHouse()

const NOW = new Date()
const WINDOW_DAYS = 30
const newId = createIds()
const read = createEventReader(createValidators().compileBody, { json_max_depth: 32 })
const readings = createRumReadings({
  clickhouse,
  clock: { now: () => NOW },
  edge_window_days: WINDOW_DAYS,
})

type Sent = { type: string; at?: number; view?: object } & Record<string, unknown>

/** Stores events as if they had been sent in one request. `at`: milliseconds before now. */
async function store(
  events: readonly Sent[],
  given: Partial<EventContext> & { org_id: string },
  columns: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const context: EventContext = {
    mode: 'live',
    session_id: 's-1',
    device_class: 'desktop',
    received_at: NOW,
    groupOnReceipt: (error) => groupError(error).fingerprint,
    eventText: (event) => JSON.stringify(event),
    ...given,
  }
  const ids = events.map(() => newId(context.received_at)).toSorted()
  const lines = events.map(({ at = 0, ...event }, index) => {
    const result = read({ timestamp: NOW.getTime() - at, ...event }, context, index)
    if ('fault' in result) throw new Error(JSON.stringify(result.fault))
    return Buffer.from(`${JSON.stringify({ ...result.row, id: ids[index], ...columns })}\n`)
  })
  await clickhouse.insert('rum_events', lines, randomUUID(), AbortSignal.timeout(15_000))
}

const vital = (
  name: string,
  value: number,
  given: { id?: string; at?: number; page?: string },
) => ({
  type: 'vital',
  at: given.at ?? 0,
  view: { url: `https://shop.example${given.page ?? '/cart'}` },
  vital: { name, value, ...(given.id !== undefined && { id: given.id }) },
})
const view = (page: string, at = 0) => ({
  type: 'view',
  at,
  view: { url: `https://shop.example${page}` },
})
const live = (org_id: string) => ({ org_id, mode: 'live' as const })

describe('vitals', () => {
  it('are the 75th percentile and the shares of the samples', async () => {
    const org_id = randomUUID()
    const values = [1000, 2000, 2500, 2600, 3000, 4000, 4001, 9000]
    await store(
      values.map((value) => vital('LCP', value, {})),
      { org_id },
    )
    // The 75th percentile of eight values is at 0.75 × 7 = 5.25: a quarter of the way to the seventh.
    const lcp = {
      name: 'LCP',
      p75: 4000.25,
      rating: 'poor',
      samples: 8,
      good: 37.5,
      needs_improvement: 37.5,
      poor: 25,
    }
    expect(await readings.vitals(live(org_id), {})).toEqual({
      overall: [lcp],
      pages: [{ page: '/cart', vitals: [lcp] }],
    })
  })

  it('are rated by their own thresholds', async () => {
    const org_id = randomUUID()
    const measured = [
      ['LCP', 2500],
      ['INP', 201],
      ['CLS', 0.26],
      ['FCP', 1800],
      ['TTFB', 1801],
    ] as const
    await store(
      measured.map(([name, value]) => vital(name, value, {})),
      { org_id },
    )
    const { overall } = await readings.vitals(live(org_id), {})
    expect(Object.fromEntries(overall.map(({ name, rating }) => [name, rating]))).toEqual({
      LCP: 'good',
      INP: 'needs_improvement',
      CLS: 'poor',
      FCP: 'good',
      TTFB: 'poor',
    })
    const shares = overall.map(
      ({ good, needs_improvement, poor }) => good + needs_improvement + poor,
    )
    expect(shares).toEqual([100, 100, 100, 100, 100])
  })

  it('count the last value that a session reports under an id', async () => {
    const org_id = randomUUID()
    await store(
      [
        vital('CLS', 0.3, { id: 'a', at: 2000 }),
        vital('CLS', 0.01, { id: 'a', at: NOW.getTime() + 1 }),
        vital('CLS', 0.05, { id: 'b', at: 1000 }),
      ],
      { org_id },
    )
    await store([vital('CLS', 0.2, { id: 'a', at: 1000 })], { org_id })
    await store([vital('CLS', 0.4, { id: 'a' })], { org_id, session_id: 's-2' })
    const { overall } = await readings.vitals(live(org_id), {})
    // The samples are 0.2 and 0.05 of the first session, and 0.4 of the second.
    expect(overall).toMatchObject([{ name: 'CLS', samples: 3 }])
    expect(overall[0]?.p75).toBeCloseTo(0.3)
  })

  it('at the same time count in the order of receipt', async () => {
    const org_id = randomUUID()
    for (let id = 0; id < 20; id += 1) {
      const values = [10, 20, 30, 5].map((value) => vital('INP', value, { id: `v-${id}`, at: 5 }))
      await store(values, { org_id })
    }
    const { overall } = await readings.vitals(live(org_id), {})
    expect(overall).toMatchObject([{ name: 'INP', samples: 20, p75: 5 }])
  })

  it('count separately if ids differ and only their hashes are the same', async () => {
    const org_id = randomUUID()
    const values = ['a', 'b', 'a', 'c'].map((id, at) => vital('CLS', 0.1, { id, at }))
    await store(values, { org_id }, { vital_hash: 7 })
    const { overall } = await readings.vitals(live(org_id), {})
    expect(overall).toMatchObject([{ name: 'CLS', samples: 3 }])
  })

  it('without an id count separately', async () => {
    const org_id = randomUUID()
    await store([vital('FCP', 100, {}), vital('FCP', 100, {}), vital('FCP', 100, { id: '' })], {
      org_id,
    })
    const { overall } = await readings.vitals(live(org_id), {})
    expect(overall).toMatchObject([{ name: 'FCP', samples: 3 }])
  })

  it('are listed by page, the most measured first, or for one page or kind of device', async () => {
    const org_id = randomUUID()
    await store(
      [
        vital('LCP', 100, { page: '/a' }),
        vital('LCP', 300, { page: '/b/1' }),
        vital('LCP', 500, { page: '/b/2' }),
        vital('TTFB', 50, { page: '/b/2' }),
        { type: 'vital', vital: { name: 'LCP', value: 700 } },
        { type: 'vital', vital: { name: 'FID', value: 1 } },
      ],
      { org_id },
    )
    await store([vital('LCP', 900, { page: '/a' })], { org_id, device_class: 'mobile' })
    const all = await readings.vitals(live(org_id), {})
    expect(all.overall).toMatchObject([
      { name: 'LCP', samples: 5, p75: 700 },
      { name: 'TTFB', samples: 1 },
    ])
    expect(all.pages).toMatchObject([
      { page: '/b/*', vitals: [{ name: 'LCP', p75: 450 }, { name: 'TTFB' }] },
      { page: '/a', vitals: [{ name: 'LCP', p75: 700, samples: 2 }] },
    ])
    const onPage = await readings.vitals(live(org_id), { page: '/b/*' })
    expect(onPage.overall).toMatchObject([{ name: 'LCP', samples: 2 }, { name: 'TTFB' }])
    expect(onPage.pages).toHaveLength(1)
    const mobile = await readings.vitals(live(org_id), { device: 'mobile' })
    expect(mobile.overall).toMatchObject([{ name: 'LCP', samples: 1, p75: 900 }])
  })

  it('are limited to the hundred most measured pages', async () => {
    const org_id = randomUUID()
    const pages = Array.from({ length: 120 }, (_, index) => `/p-${index}`)
    const events = pages.flatMap((page, index) => [
      ...Array.from({ length: index < 10 ? 3 : 1 }, () => vital('LCP', 100, { page })),
      vital('TTFB', 5, { page }),
    ])
    await store(events, { org_id })
    const { overall, pages: listed } = await readings.vitals(live(org_id), {})
    expect(overall).toMatchObject([{ samples: 140 }, { samples: 120 }])
    expect(listed).toHaveLength(100)
    expect(listed.every(({ vitals }) => vitals.length === 2)).toBe(true)
    expect(
      listed
        .slice(0, 10)
        .map(({ page }) => page)
        .toSorted(),
    ).toEqual(pages.slice(0, 10))
  })

  it('are empty without events', async () => {
    expect(await readings.vitals(live(randomUUID()), {})).toEqual({ overall: [], pages: [] })
  })
})

describe('pages', () => {
  it('have views, errors, sessions and LCP, the most viewed first', async () => {
    const org_id = randomUUID()
    const error = { type: 'error', error: { message: 'boom' }, view: { url: '/cart' } }
    await store([view('/'), view('/cart'), error, { type: 'log' }], { org_id })
    await store([view('/cart'), vital('LCP', 1200, { page: '/cart' })], { org_id, session_id: 'b' })
    expect(await readings.pages(live(org_id), 50)).toEqual([
      { page: '/cart', views: 2, errors: 1, sessions: 2, lcp_p75: 1200, lcp_samples: 1 },
      { page: '/', views: 1, errors: 0, sessions: 1, lcp_p75: null, lcp_samples: 0 },
    ])
    expect(await readings.pages(live(org_id), 1)).toHaveLength(1)
  })
})

describe('errors', () => {
  it('are listed by group, the most frequent first', async () => {
    const org_id = randomUUID()
    const error = (message: string, at: number, page = '/cart') => ({
      type: 'error',
      at,
      view: { url: page },
      error: { type: 'TypeError', message },
    })
    await store([error('Order 17 is gone', 5000), error('Order 18 is gone', 1000, '/')], { org_id })
    await store([error('Order 19 is gone', 3000), error('no network', 2000)], {
      org_id,
      session_id: 's-2',
    })
    const [first, second, ...rest] = await readings.errors(live(org_id), { limit: 50 })
    expect(rest).toEqual([])
    expect(first).toEqual({
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      error_type: 'TypeError',
      message: 'Order 18 is gone',
      title: 'Order <*> is gone',
      count: 3,
      affected_sessions: 2,
      pages: ['/', '/cart'],
      first_seen: new Date(NOW.getTime() - 5000).toISOString(),
      last_seen: new Date(NOW.getTime() - 1000).toISOString(),
    })
    expect(second).toMatchObject({ message: 'no network', count: 1, affected_sessions: 1 })
    const ofPage = await readings.errors(live(org_id), { page: '/', limit: 50 })
    expect(ofPage).toMatchObject([{ count: 1, fingerprint: first?.fingerprint }])
    const withIt = { error_fingerprint: second?.fingerprint, limit: 50 }
    expect(await readings.sessions(live(org_id), withIt)).toMatchObject([{ session_id: 's-2' }])
  })
})

describe('sessions', () => {
  it('are summed up, the one with the latest event first', async () => {
    const org_id = randomUUID()
    await store(
      [
        { type: 'session_start', at: 9000 },
        view('/', 9000),
        view('/cart', 4000),
        { type: 'action', at: 3000, action: { type: 'click', target: '#pay' } },
        { type: 'error', at: 2000, error: { message: 'boom' } },
      ],
      { org_id, device_class: 'mobile' },
    )
    await store([{ type: 'log', at: 1000 }], { org_id, session_id: 's-2', device_class: '' })
    expect(await readings.sessions(live(org_id), { limit: 50 })).toEqual([
      {
        session_id: 's-2',
        events: 1,
        views: 0,
        actions: 0,
        errors: 0,
        first_page: '',
        last_page: '',
        device_class: null,
        first_seen: new Date(NOW.getTime() - 1000).toISOString(),
        last_seen: new Date(NOW.getTime() - 1000).toISOString(),
      },
      {
        session_id: 's-1',
        events: 5,
        views: 2,
        actions: 1,
        errors: 1,
        first_page: '/',
        last_page: '/cart',
        device_class: 'mobile',
        first_seen: new Date(NOW.getTime() - 9000).toISOString(),
        last_seen: new Date(NOW.getTime() - 2000).toISOString(),
      },
    ])
  })

  it('are the latest ones, however old they are', async () => {
    const org_id = randomUUID()
    const daysAgo = [20, 0.001, 3, 0.5, 8]
    for (const days of daysAgo) {
      const [at, session_id] = [Math.round(days * DAY_MS), `d-${days}`]
      await store([{ type: 'log', at }], { org_id, session_id })
    }
    const latest = async (limit: number) =>
      (await readings.sessions(live(org_id), { limit })).map(({ session_id }) => session_id)
    expect(await latest(1)).toEqual(['d-0.001'])
    expect(await latest(2)).toEqual(['d-0.001', 'd-0.5'])
    expect(await latest(3)).toEqual(['d-0.001', 'd-0.5', 'd-3'])
    expect(await latest(9)).toEqual(['d-0.001', 'd-0.5', 'd-3', 'd-8', 'd-20'])
  })

  it('have a timeline by time, and by order of receipt at the same time', async () => {
    const org_id = randomUUID()
    await store([{ type: 'log', at: 1000, log: { message: 'last' } }], { org_id })
    const logs = Array.from({ length: 20 }, (_, index) => ({
      type: 'log',
      at: 5000,
      log: { level: 'info', message: `${index}` },
      user: { plan: 'pro' },
    }))
    await store([view('/cart', 9000), ...logs], { org_id })
    const session = await readings.session(live(org_id), 's-1', 500)
    expect(session).toMatchObject({ session_id: 's-1', events: 22, views: 1 })
    const messages = session?.timeline.map(
      ({ event }) => (event['log'] as { message: string })?.message,
    )
    expect(messages).toEqual([undefined, ...logs.map(({ log }) => log.message), 'last'])
    expect(session?.timeline[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      type: 'log',
      timestamp: new Date(NOW.getTime() - 5000).toISOString(),
      received_at: NOW.toISOString(),
      page: '',
      event: { ...logs[0], at: undefined, timestamp: NOW.getTime() - 5000 },
    })
    expect((await readings.session(live(org_id), 's-1', 3))?.timeline).toHaveLength(3)
    expect(await readings.session(live(org_id), 's-3', 500)).toBeUndefined()
  })
})

describe('every query', () => {
  type Query = Parameters<typeof readings.pages>[0]
  const countViews = async (query: Query): Promise<number> =>
    (await readings.pages(query, 50)).reduce((sum, { views }) => sum + views, 0)

  it('is limited to one organization and one mode', async () => {
    const org_id = randomUUID()
    await store([view('/'), vital('LCP', 1, {}), { type: 'error', error: { message: 'a' } }], {
      org_id,
    })
    for (const other of [live(randomUUID()), { org_id, mode: 'test' as const }]) {
      expect(await readings.pages(other, 50)).toEqual([])
      expect((await readings.vitals(other, {})).overall).toEqual([])
      expect(await readings.errors(other, { limit: 50 })).toEqual([])
      expect(await readings.sessions(other, { limit: 50 })).toEqual([])
      expect(await readings.session(other, 's-1', 50)).toBeUndefined()
    }
    expect(await countViews(live(org_id))).toBe(1)
  })

  it('without dates covers recently received events, whatever their own times are', async () => {
    const org_id = randomUUID()
    await store([view('/1970', NOW.getTime()), view('/2099', -70 * 365 * DAY_MS)], { org_id })
    expect(await countViews(live(org_id))).toBe(2)
    const [session] = await readings.sessions(live(org_id), { limit: 1 })
    expect(session).toMatchObject({ first_seen: '1970-01-01T00:00:00.000Z', views: 2 })
  })

  it('with dates covers events by their own times, both ends included', async () => {
    const org_id = randomUUID()
    await store([view('/a', 3000), view('/b', 2000), view('/c', 1000)], { org_id })
    const ago = (ms: number) => new Date(NOW.getTime() - ms)
    const between = (start?: Date, end?: Date): Query => ({
      ...live(org_id),
      ...(start && { start }),
      ...(end && { end }),
    })
    expect(await countViews(between(ago(3000), ago(2000)))).toBe(2)
    expect(await countViews(between(ago(2999), ago(2001)))).toBe(0)
    expect(await countViews(between(ago(2000)))).toBe(2)
    expect(await countViews(between(undefined, ago(2000)))).toBe(2)
    expect(await countViews(between(undefined, ago(-31 * DAY_MS)))).toBe(0)
    const sessions = await readings.sessions(between(ago(2000), ago(1500)), { limit: 5 })
    expect(sessions).toMatchObject([{ views: 1, first_page: '/b' }])
  })

  it('accepts any text for a page, a session or a group', async () => {
    const odd = `'; drop table rum_events; --\\ {x:String} \t\n"é😀`
    const query = live(randomUUID())
    await store([{ type: 'log', at: 0 }], { ...query, session_id: odd })
    expect(await readings.session(query, odd, 5)).toMatchObject({ session_id: odd, events: 1 })
    expect(await readings.vitals(query, { page: odd })).toEqual({ overall: [], pages: [] })
    expect(await readings.errors(query, { page: odd, limit: 5 })).toEqual([])
    expect(await readings.sessions(query, { error_fingerprint: odd, limit: 5 })).toEqual([])
  })

  it.each([
    ['is unavailable', new EngineUnavailable('gone')],
    ['has no memory for the query', new EngineRefusal(241, 'Memory limit exceeded')],
  ])('reports that events cannot be read while the engine %s', async (_what, failure) => {
    const unavailable = createClickHouse({
      address: () => Promise.reject(failure),
      timeout_ms: 1000,
      log: createLog('silent'),
    })
    const clock = { now: () => NOW }
    const reading = createRumReadings({ clickhouse: unavailable, clock, edge_window_days: 1 })
    await expect(reading.pages(live(randomUUID()), 1)).rejects.toMatchObject({
      status: 500,
      body: { message: 'Events cannot be read at the moment; try again shortly' },
    })
  })
})
