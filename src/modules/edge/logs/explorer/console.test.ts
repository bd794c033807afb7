import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../../../../test/support/edge-logs.ts'
import { HOUR_MS } from '../../../../platform/time-units.ts'
import type { ErrorGroupDetails, ErrorTrends, Histogram } from '../schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const AT = Date.parse('2026-03-01T12:00:00.000Z')

async function createMember() {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>(token: string, path: string, query: Record<string, string>) {
  return await harness().call<C & { field: string }>({
    method: 'GET',
    path: `/console/api/edge${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

async function addLogs(orgId: string, logs: Partial<EdgeLog>[]) {
  const { clickhouse } = harness().stores.analytics
  await addEdgeLogs(
    clickhouse,
    logs.map((log) => edgeLog({ org_id: orgId, received_at_ms: AT, ...log })),
  )
}

const GROUP = 'ab'.repeat(16)
const OTHER = 'cd'.repeat(16)

describe.each(['/histogram', `/errors/trends?fingerprints=${GROUP}`, `/errors/${GROUP}`])(
  'GET /console/api/edge%s',
  (path) => {
    const [bare = '', query = ''] = path.split('?')
    const queryFields = Object.fromEntries(new URLSearchParams(query))

    it('is for members only and names an invalid mode and invalid dates', async () => {
      const { org_id, token } = await createMember()
      const foreign = await createMember()
      expect((await get(foreign.token, bare, { ...queryFields, org_id })).status).toBe(404)
      for (const [field, value] of [
        ['mode', 'both'],
        ['start_date', 'yesterday'],
        ['end_date', '2026-13-01'],
      ] as const) {
        const { status, body } = await get(token, bare, { ...queryFields, org_id, [field]: value })
        expect([status, body.content.field]).toEqual([400, field])
      }
    })
  },
)

describe('the histogram', () => {
  it('counts by level in the requested mode, with all filters and words combined', async () => {
    const { org_id, token } = await createMember()
    const wanted = {
      level: 'error' as const,
      device_id: 'till-7',
      category: 'payment',
      environment: 'production',
      error_fingerprint: GROUP,
      message: 'Card reader is silent',
    }
    await addLogs(org_id, [
      wanted,
      { ...wanted, level: 'fatal' },
      { ...wanted, level: 'warn' },
      { ...wanted, device_id: 'till-8' },
      { ...wanted, category: '' },
      { ...wanted, environment: 'staging' },
      { ...wanted, error_fingerprint: OTHER },
      { ...wanted, message: 'Card is silent' },
      { ...wanted, mode: 'test' },
    ])
    for (const [start_date, end_date] of [
      ['2026-03-01T11:30:00Z', '2026-03-01T12:30:00Z'],
      ['2026-02-01', '2026-03-02'],
    ] as const) {
      const { body } = await get<Histogram>(token, '/histogram', {
        org_id,
        start_date,
        end_date,
        level: 'error,fatal',
        device_id: 'till-7',
        category: 'payment',
        environment: 'production',
        error_fingerprint: GROUP,
        q: '"card reader"',
      })
      expect(body.content.total).toBe(2)
      const bar = body.content.bars.find(({ total }) => total > 0)
      expect(bar?.by_level.map(({ count }) => count)).toEqual([0, 0, 0, 1, 1])
      const at = Date.parse(bar?.timestamp ?? '')
      expect(at).toBeLessThanOrEqual(AT)
      expect(at + body.content.step_ms).toBeGreaterThan(AT)
    }
    const test = { org_id, mode: 'test', start_date: '2026-03-01', end_date: '2026-03-01' }
    expect((await get<Histogram>(token, '/histogram', test)).body.content.total).toBe(1)
  })

  it.each([
    ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T11:59:00.001Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T00:30:00Z', '2026-03-01T12:20:00Z'],
    ['2026-02-27T12:34:56Z', '2026-03-01T12:00:00.000Z'],
    ['2026-02-01', '2026-03-01'],
    ['1970-01-01', '2099-12-31'],
  ])('counts exactly between %s and %s, in at most 200 bars', async (start_date, end_date) => {
    const { org_id, token } = await createMember()
    await addLogs(org_id, [
      { timestamp_ms: AT },
      { timestamp_ms: AT, level: 'fatal' },
      { timestamp_ms: Date.parse('1969-12-31T23:59:59.999Z') },
      { timestamp_ms: Date.parse('2100-01-01T00:00:00Z') },
    ])
    const { status, body } = await get<Histogram>(token, '/histogram', {
      org_id,
      start_date,
      end_date,
    })
    expect(status).toBe(200)
    expect(body.content.total).toBe(2)
    expect(body.content.bars.length).toBeGreaterThan(0)
    expect(body.content.bars.length).toBeLessThanOrEqual(200)
    const steps = body.content.bars.map(({ timestamp }) => Date.parse(timestamp))
    expect(new Set(steps.slice(1).map((at, index) => at - (steps[index] ?? 0)))).toEqual(
      new Set(steps.length === 1 ? [] : [body.content.step_ms]),
    )
  })
})

describe('error groups', () => {
  it('are returned with their most affected devices and with counts by step', async () => {
    const { org_id, token } = await createMember()
    const error = { level: 'error', error_fingerprint: GROUP, error_type: 'TimeoutError' } as const
    await addLogs(org_id, [
      {
        ...error,
        device_id: 'till-1',
        timestamp_ms: AT - 2 * HOUR_MS,
        environment: 'production',
        data: '{"firmware":"4.1"}',
      },
      {
        ...error,
        device_id: 'till-2',
        timestamp_ms: AT - HOUR_MS,
        data: '{"resource":{"service.version":"4.2"}}',
      },
      { ...error, device_id: 'till-2', timestamp_ms: AT - 1, message: 'the newest <i>' },
      { ...error, device_id: 'till-3', timestamp_ms: AT - 50 * HOUR_MS },
      { ...error, device_id: 'till-4', timestamp_ms: AT, error_fingerprint: OTHER },
      { ...error, device_id: 'till-5', timestamp_ms: AT, mode: 'test' },
    ])
    const dates = { start_date: '2026-03-01', end_date: '2026-03-01' }
    const { body } = await get<ErrorGroupDetails>(token, `/errors/${GROUP}`, { org_id, ...dates })
    expect(body.content).toEqual({
      fingerprint: GROUP,
      error_type: 'TimeoutError',
      message: 'the newest <i>',
      count: 3,
      affected_devices: 2,
      first_seen: '2026-03-01T10:00:00.000Z',
      last_seen: '2026-03-01T11:59:59.999Z',
      environments: ['production'],
      versions: { first: '4.1', last: '4.2' },
      devices: [
        {
          device_id: 'till-2',
          count: 2,
          first_seen: '2026-03-01T11:00:00.000Z',
          last_seen: '2026-03-01T11:59:59.999Z',
        },
        {
          device_id: 'till-1',
          count: 1,
          first_seen: '2026-03-01T10:00:00.000Z',
          last_seen: '2026-03-01T10:00:00.000Z',
        },
      ],
    })
    const none = await get(token, `/errors/${'0'.repeat(32)}`, { org_id, ...dates })
    expect(none.status).toBe(404)

    const trends = await get<ErrorTrends>(token, '/errors/trends', {
      org_id,
      ...dates,
      fingerprints: `${GROUP},${OTHER},unknown`,
    })
    const [group, other, unknown] = trends.body.content.trends
    expect(trends.body.content.step_ms).toBe(HOUR_MS)
    expect(group?.counts).toHaveLength(24)
    expect(group?.counts.slice(10, 13)).toEqual([1, 2, 0])
    expect(other?.counts.slice(10, 13)).toEqual([0, 0, 1])
    expect(unknown?.counts.every((count) => count === 0)).toBe(true)
  })

  it('name the field fingerprints if there are too many', async () => {
    const { org_id, token } = await createMember()
    const fingerprints = Array.from({ length: 101 }, () => 'a').join(',')
    const { status, body } = await get(token, '/errors/trends', { org_id, fingerprints })
    expect([status, body.content.field]).toEqual([400, 'fingerprints'])
  })
})
