import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse } from '../../test/database.ts'
import { useHarness } from '../../test/harness.ts'

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
const PATHS = ['vitals', 'pages', 'errors', 'sessions', SESSION]

describe('members of an organisation read of its users', () => {
  it('web vitals, of all pages and page by page', async () => {
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

  it('what happened in a session, in order', async () => {
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

  it('of live keys, or of test keys, and between two times', async () => {
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
  it('shows nothing of other organisations', async () => {
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

  it('takes an access token, not a key', async () => {
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
