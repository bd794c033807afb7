import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse } from '../../../../test/database.ts'
import { useHarness } from '../../../../test/harness.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const clickhouse = testClickHouse()

const TIME = Date.parse('2026-03-15T12:00:00.000Z')
type Row = Record<string, unknown>

async function store(org_id: string, rows: readonly Row[]): Promise<void> {
  const lines = rows.map((row) => {
    const filled = { org_id, mode: 'live', id: randomUUID(), received_at: new Date(), ...row }
    return Buffer.from(`${JSON.stringify({ timestamp_ms: TIME, event: '{}', ...filled })}\n`)
  })
  await clickhouse.insert('rum_events', lines, randomUUID(), AbortSignal.timeout(15_000))
}

const OF_SESSION = { session_id: 's 1/2', page: '/cart' }
const ROWS = [
  { ...OF_SESSION, type: 'view', view_url: 'https://a.example/cart' },
  { ...OF_SESSION, type: 'vital', vital_name: 'LCP', vital_value: 1000 },
  { ...OF_SESSION, type: 'vital', vital_name: 'LCP', vital_value: 3000, device_class: 'mobile' },
  {
    ...OF_SESSION,
    type: 'error',
    timestamp_ms: TIME + 5,
    error_message: 'boom',
    error_fingerprint: 'f1',
    event: '{"type":"error","error":{"message":"boom"}}',
  },
]

async function read<Content = Row[]>(path: string, token: string, query: Record<string, string>) {
  return await harness().call<Content>({
    method: 'GET',
    path: `/console/api/rum/${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

async function createMember() {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

const SESSION = `sessions/${encodeURIComponent(OF_SESSION.session_id)}`
const PATHS = [
  'vitals',
  'pages',
  'errors',
  'errors/f1',
  'sessions',
  SESSION,
  'trends/vital',
  'trends/activity',
]

describe('members of an organization can read', () => {
  it('web vitals of all pages and by page', async () => {
    const { org_id, token } = await createMember()
    await store(org_id, ROWS)
    const { status, body } = await read<Row>('vitals', token, { org_id })
    expect([status, body.message]).toEqual([200, 'Web vitals'])
    const lcp = {
      name: 'LCP',
      p75: 2500,
      rating: 'good',
      samples: 2,
      good: 50,
      needs_improvement: 50,
      poor: 0,
    }
    expect(body.content).toEqual({ overall: [lcp], pages: [{ page: '/cart', vitals: [lcp] }] })
    const mobile = await read<Row>('vitals', token, { org_id, page: '/cart', device: 'mobile' })
    expect(mobile.body.content).toMatchObject({ overall: [{ samples: 1, p75: 3000 }] })
  })

  it('pages, errors and sessions', async () => {
    const { org_id, token } = await createMember()
    await store(org_id, ROWS)
    const pages = await read('pages', token, { org_id })
    expect(pages.body.content).toMatchObject([
      { page: '/cart', views: 1, errors: 1, sessions: 1, lcp_p75: 2500 },
    ])
    const errors = await read('errors', token, { org_id, page: '/cart', limit: '1' })
    expect(errors.body.content).toMatchObject([
      { fingerprint: 'f1', title: 'boom', count: 1, affected_sessions: 1 },
    ])
    const sessions = await read('sessions', token, { org_id, error_fingerprint: 'f1' })
    expect(sessions.body.content).toMatchObject([
      { session_id: OF_SESSION.session_id, views: 1, errors: 1, events: 4 },
    ])
  })

  it('the events of a session in order', async () => {
    const { org_id, token } = await createMember()
    await store(org_id, ROWS)
    const { body } = await read<{ timeline: Row[] }>(SESSION, token, { org_id })
    expect(body.content).toMatchObject({ session_id: OF_SESSION.session_id, views: 1, errors: 1 })
    expect(body.content.timeline.map(({ type }) => type)).toHaveLength(4)
    expect(body.content.timeline.at(-1)).toMatchObject({
      type: 'error',
      timestamp: '2026-03-15T12:00:00.005Z',
      event: { type: 'error', error: { message: 'boom' } },
    })
    const first = await read<{ timeline: Row[] }>(SESSION, token, { org_id, limit: '1' })
    expect(first.body.content.timeline).toHaveLength(1)
    expect((await read('sessions/other', token, { org_id })).status).toBe(404)
  })

  it('all digits of the numbers of events', async () => {
    const { org_id, token } = await createMember()
    const event = '{"type":"error","order":9007199254740993}'
    await store(org_id, [{ ...ROWS[3], event }])
    for (const path of ['errors/f1', SESSION]) {
      const { body } = await harness().app.inject({
        url: `/console/api/rum/${path}?org_id=${org_id}`,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(body).toContain(`"event":${event}`)
    }
  })

  it('one error group with its last error, and the sessions of a page', async () => {
    const { org_id, token } = await createMember()
    await store(org_id, ROWS)
    const { body } = await read<Row>('errors/f1', token, { org_id })
    expect(body.content).toMatchObject({
      title: 'boom',
      count: 1,
      example: {
        session_id: OF_SESSION.session_id,
        page: '/cart',
        event: { type: 'error', error: { message: 'boom' } },
      },
    })
    const sessions = async (page: string) =>
      (await read('sessions', token, { org_id, page })).body.content.length
    expect([await sessions('/cart'), await sessions('/other')]).toEqual([1, 0])
  })

  it('trends of vitals and activity, in as many steps as fit', async () => {
    const { org_id, token } = await createMember()
    const later = { timestamp_ms: TIME + 3_600_000 }
    await store(org_id, [
      ...ROWS,
      { ...OF_SESSION, ...later, type: 'vital', vital_name: 'LCP', vital_value: 5000 },
      { ...OF_SESSION, ...later, type: 'view', page: '/other' },
    ])
    const day = { org_id, start_date: '2026-03-15', end_date: '2026-03-16' }
    const vital = await read<Row>('trends/vital', token, { ...day, name: 'LCP' })
    expect(vital.body.content).toEqual({
      since: '2026-03-15T00:00:00.000Z',
      until: '2026-03-16T23:59:59.999Z',
      step_ms: 3_600_000,
      points: [
        {
          at: '2026-03-15T12:00:00.000Z',
          p75: 2500,
          samples: 2,
          good: 1,
          needs_improvement: 1,
          poor: 0,
        },
        {
          at: '2026-03-15T13:00:00.000Z',
          p75: 5000,
          samples: 1,
          good: 0,
          needs_improvement: 0,
          poor: 1,
        },
      ],
    })
    const mobile = { ...day, name: 'LCP', page: '/cart', device: 'mobile' }
    const ofMobile = await read<{ points: Row[] }>('trends/vital', token, mobile)
    expect(ofMobile.body.content.points).toMatchObject([{ samples: 1, p75: 3000 }])
    const activity = async (query: Record<string, string>) =>
      (await read<{ points: Row[] }>('trends/activity', token, { ...day, ...query })).body.content
        .points
    expect(await activity({})).toEqual([
      { at: '2026-03-15T12:00:00.000Z', views: 1, actions: 0, errors: 1, sessions: 1 },
      { at: '2026-03-15T13:00:00.000Z', views: 1, actions: 0, errors: 0, sessions: 1 },
    ])
    expect(await activity({ page: '/other' })).toMatchObject([{ views: 1, errors: 0 }])
    expect(await activity({ error_fingerprint: 'f1' })).toMatchObject([{ views: 0, errors: 1 }])
    expect((await read('trends/vital', token, { ...day, name: 'FID' })).status).toBe(400)
  })

  it('events of live keys or test keys, and between two times', async () => {
    const { org_id, token } = await createMember()
    await store(org_id, ROWS)
    const views = async (query: Record<string, string>) =>
      (await read('pages', token, { org_id, ...query })).body.content.length
    expect(await views({ mode: 'test' })).toBe(0)
    expect(await views({ mode: 'live' })).toBe(1)
    expect(await views({ start_date: '2026-03-15T12:00:00.000Z' })).toBe(1)
    expect(await views({ start_date: '2026-03-15T12:00:00.006Z' })).toBe(0)
    expect(await views({ end_date: '2026-03-15T14:00:00.000+02:00' })).toBe(1)
    expect(await views({ end_date: '2026-03-15T11:59:59.999Z' })).toBe(0)
  })
})

describe.each(PATHS)('GET /console/api/rum/%s', (path) => {
  it('shows nothing of other organizations', async () => {
    const member = await createMember()
    const other = await createMember()
    await store(other.org_id, ROWS)
    for (const org_id of [other.org_id, randomUUID(), 'x', '']) {
      const { status, body } = await read(path, member.token, { org_id })
      expect({ status, body }).toEqual({
        status: 404,
        body: { success: false, message: 'Not found' },
      })
    }
    const { content } = (await read(path, member.token, { org_id: member.org_id })).body
    expect(JSON.stringify(content) ?? '').not.toContain('/cart')
  })

  it('requires an access token, not a key', async () => {
    const { org_id, keys } = await harness().createTenant()
    const url = `/console/api/rum/${path}?org_id=${org_id}`
    const { status } = await harness().call({ method: 'GET', path: url, key: keys.live_secret })
    expect(status).toBe(401)
  })

  it.each<[Record<string, string>, string]>([
    [{}, 'org_id'],
    [{ org_id: 'x', mode: 'both' }, 'mode'],
  ])('refuses %j, naming the parameter', async (query, field) => {
    const { token } = await createMember()
    const { status, body } = await read<{ field: string }>(path, token, query)
    expect([status, body.content.field]).toEqual([400, field])
  })

  it.each([
    [{ start_date: 'yesterday' }, 'start_date'],
    [{ end_date: '2026-02-30' }, 'end_date'],
    [{ start_date: '2026-03-02', end_date: '2026-03-01' }, 'end_date'],
  ])('refuses the dates %j, naming the parameter', async (dates, field) => {
    const { org_id, token } = await createMember()
    const { status, body } = await read<{ field: string }>(path, token, { org_id, ...dates })
    expect([status, body.content.field]).toEqual([400, field])
  })
})
