import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../../../../test/support/edge-logs.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../platform/time-units.ts'
import type { DataMembers, FieldSeries, FieldValues } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const AT = Date.parse('2026-03-01T12:00:00.000Z')
const DAY = { start_date: '2026-03-01', end_date: '2026-03-01' }
/** Its ends are within hours, so that both halves of a count are read. */
const PARTIAL = { start_date: '2026-03-01T09:30:00Z', end_date: '2026-03-01T12:30:00Z' }

async function get<C>(token: string, path: string, query: Record<string, string>) {
  return await harness().call<C & { field: string }>({
    method: 'GET',
    path: `/console/api/edge/${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

async function createLogs(logs: Partial<EdgeLog>[]) {
  const { org_id } = await harness().createTenant('free')
  const all = logs.map((log) => edgeLog({ org_id, received_at_ms: AT, ...log }))
  await addEdgeLogs(harness().stores.analytics.clickhouse, all)
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

const pairsOf = ({ values }: FieldValues) => values.map(({ value, count }) => [value, count])

describe.each(['values?field=level', 'series?field=level', 'members'])(
  'GET /console/api/edge/%s',
  (path) => {
    const [bare = '', query = ''] = path.split('?')
    const own = Object.fromEntries(new URLSearchParams(query))

    it('is for members only and names an invalid mode, date or query', async () => {
      const { org_id, token } = await createLogs([])
      const foreign = await createLogs([])
      expect((await get(foreign.token, bare, { ...own, org_id })).status).toBe(404)
      for (const [field, value] of [
        ['mode', 'both'],
        ['start_date', 'yesterday'],
        ['level', 'loud'],
        ['q', '-'],
      ] as const) {
        const { status, body } = await get(token, bare, { ...own, org_id, [field]: value })
        expect([status, body.content.field]).toEqual([400, field])
      }
    })
  },
)

describe('the values of a field', () => {
  it.each([
    [
      'level',
      [
        ['info', 3],
        ['error', 2],
      ],
    ],
    [
      'device',
      [
        ['till-1', 4],
        ['till-2', 1],
      ],
    ],
    [
      'category',
      [
        ['', 3],
        ['payment', 2],
      ],
    ],
    ['environment', [['production', 5]]],
    [
      'error_type',
      [
        ['', 3],
        ['TimeoutError', 2],
      ],
    ],
    [
      'tag',
      [
        ['front', 2],
        ['', 3],
        ['shop-4', 1],
      ].toSorted((a, b) => Number(b[1]) - Number(a[1])),
    ],
    [
      'data.order.id',
      [
        ['', 2],
        ['17', 2],
        ['x"y', 1],
      ],
    ],
    [
      'data.a.b',
      [
        ['', 4],
        ['flat', 1],
      ],
    ],
    [
      'data.ok',
      [
        ['', 4],
        ['true', 1],
      ],
    ],
  ] as const)('%s are counted, the most frequent first', async (field, expected) => {
    const error = { level: 'error', error_type: 'TimeoutError', category: 'payment' } as const
    const { org_id, token } = await createLogs(
      [
        { ...error, data: '{"order":{"id":17}}', tags: ['front', 'shop-4'] },
        { ...error, data: '{"order":{"id":"17"}}', tags: ['front'] },
        { data: '{"order":{"id":"x\\"y"},"ok":true}' },
        { data: '{"order":{"id":null},"a.b":"flat"}' },
        { device_id: 'till-2' },
      ].map((log) => ({ environment: 'production', ...log })),
    )
    for (const dates of [DAY, PARTIAL]) {
      const { status, body } = await get<FieldValues>(token, 'values', { org_id, field, ...dates })
      expect(status).toBe(200)
      expect(pairsOf(body.content)).toEqual(expected)
      expect(body.content.distinct).toBe(expected.length)
    }
  })

  it('are those of the logs that match all filters, in one mode and period', async () => {
    const wanted = {
      device_id: 'till-7',
      level: 'error',
      message: 'Card reader is silent',
    } as const
    const { org_id, token } = await createLogs([
      { ...wanted, timestamp_ms: AT - HOUR_MS },
      { ...wanted, device_id: 'till-8' },
      { ...wanted, level: 'info' },
      { ...wanted, message: 'Card is silent' },
      { ...wanted, timestamp_ms: AT - 30 * HOUR_MS },
      { ...wanted, mode: 'test' },
    ])
    const query = { org_id, field: 'device_id', q: '"card reader"', level: 'error', ...DAY }
    const { body } = await get<FieldValues>(token, 'values', query)
    expect(pairsOf(body.content)).toEqual([
      ['till-7', 1],
      ['till-8', 1],
    ])
    const one = await get<FieldValues>(token, 'values', { ...query, limit: '1' })
    expect(one.body.content).toMatchObject({ distinct: 2, total: 2, values: [{ count: 1 }] })
  })

  it('are found by a part of them, in any case and with any character', async () => {
    const { org_id, token } = await createLogs(
      ['Till-1', 'till-2', '100%_done\\', 'kiosk'].map((device_id) => ({ device_id })),
    )
    const found = async (contains: string) => {
      const query = { org_id, field: 'device_id', contains, ...DAY }
      const { body } = await get<FieldValues>(token, 'values', query)
      return body.content.values.map(({ value }) => value)
    }
    expect(await found('TILL')).toEqual(['Till-1', 'till-2'])
    expect(await found('%_D')).toEqual(['100%_done\\'])
    expect(await found('\\')).toEqual(['100%_done\\'])
    expect(await found('nothing')).toEqual([])
  })

  it('have the statistics of a number in data', async () => {
    const { org_id, token } = await createLogs([
      ...[10, 20, 30, 40, 100].map((ms) => ({ data: `{"ms":${ms}}` })),
      { device_id: 'till-2', data: '{"ms":"slow"}' },
      { device_id: 'till-3' },
    ])
    const query = { org_id, field: 'device_id', number: 'data.ms', ...DAY }
    const { body } = await get<FieldValues>(token, 'values', query)
    expect(body.content.values).toEqual([
      {
        value: 'till-1',
        count: 5,
        number: { count: 5, average: 40, p50: 30, p95: expect.closeTo(88, 6) as number, max: 100 },
      },
      {
        value: 'till-2',
        count: 1,
        number: { count: 0, average: null, p50: null, p95: null, max: null },
      },
    ])
  })

  it.each([
    ['field', { field: 'color' }],
    ['field', { field: 'data.' }],
    ['field', { field: 'constructor' }],
    ['number', { field: 'level', number: 'level' }],
    ['limit', { field: 'level', limit: '201' }],
  ])('need a valid %s: %j', async (field, query) => {
    const { org_id, token } = await createLogs([])
    const { status, body } = await get(token, 'values', { org_id, ...(query as object) })
    expect([status, body.content.field]).toEqual([400, field])
  })
})

describe('the series of a field', () => {
  it('count the most frequent values and all others, step by step', async () => {
    const devices = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const { org_id, token } = await createLogs(
      devices.flatMap((device_id, index) =>
        Array.from({ length: devices.length - index }, (_, at) => ({
          device_id,
          timestamp_ms: AT - at * 10 * MINUTE_MS,
        })),
      ),
    )
    for (const dates of [PARTIAL, { start_date: '2026-02-01', end_date: '2026-03-01' }]) {
      const { body } = await get<FieldSeries>(token, 'series', {
        org_id,
        field: 'device',
        ...dates,
      })
      const { series, total } = body.content
      expect(total).toBe(36)
      expect(series.map(({ value }) => value)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', null])
      const sums = series.map(({ points }) => points.reduce<number>((a, b) => a + (b ?? 0), 0))
      expect(sums).toEqual([8, 7, 6, 5, 4, 3, 3])
      expect(new Set(series.map(({ points }) => points.length)).size).toBe(1)
    }
  })

  it('measure a number in data, with no number where there is none', async () => {
    const { org_id, token } = await createLogs([
      ...[10, 20, 30].map((ms) => ({ data: `{"ms":${ms}}`, timestamp_ms: AT })),
      { data: '{"ms":7}', timestamp_ms: AT - 2 * HOUR_MS },
    ])
    const query = { org_id, field: 'level', measure: 'p50', number: 'data.ms', ...PARTIAL }
    const { body } = await get<FieldSeries>(token, 'series', query)
    const [info] = body.content.series
    expect(info?.points.filter((point) => point !== null)).toEqual([7, 20])
    const without = await get(token, 'series', { org_id, field: 'level', measure: 'p95' })
    expect([without.status, without.body.content.field]).toEqual([400, 'number'])
  })
})

describe('the members of data', () => {
  it('are those of the matching logs', async () => {
    const { org_id, token } = await createLogs([
      { data: '{"ms":1,"order":{"id":2}}', level: 'error' },
      { data: '{"other":1}' },
      {},
    ])
    const query = { org_id, level: 'error', ...DAY }
    const { body } = await get<DataMembers>(token, 'members', query)
    expect(body.content).toEqual({
      examined: 1,
      members: [
        { name: 'data.ms', type: 'number', count: 1 },
        { name: 'data.order.id', type: 'number', count: 1 },
      ],
    })
  })
})
