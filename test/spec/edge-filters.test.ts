/** OP-143, OP-144: filters of all readings of logs, and parameters that are refused. */

import { describe, expect, it } from 'vitest'
import { LEVELS, type Level } from '../../src/modules/edge/logs/level.ts'
import type { ErrorGroupRecord, LogPage, Overview } from '../../src/modules/edge/logs/schema.ts'
import { useHarness } from '../harness.ts'
import { addEdgeLogs, edgeLog } from '../support/edge-logs.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

type Member = { org_id: string; token: string }

async function createMember(): Promise<Member> {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>({ org_id, token }: Member, path: string, query: Record<string, string> = {}) {
  const text = new URLSearchParams({ org_id, ...query })
  return await harness().get<C>(`/v1/edge${path}?${text.toString()}`, { token })
}
const read = async <C>(member: Member, path: string, query: Record<string, string> = {}) => {
  const { status, body } = await get<C>(member, path, query)
  expect({ status, message: body.message }).toMatchObject({ status: 200 })
  return body.content
}

type LogFields = Omit<Parameters<typeof edgeLog>[0], 'org_id'>
async function add({ org_id }: Member, ...logs: LogFields[]): Promise<void> {
  const { clickhouse } = harness().stores.analytics
  const received_at_ms = Date.now() - 1000
  await addEdgeLogs(
    clickhouse,
    logs.map((log) => edgeLog({ org_id, received_at_ms, ...log })),
  )
}

const levels = (counts: Partial<Record<Level, number>>) =>
  LEVELS.map((level) => ({ level, count: counts[level] ?? 0 }))

const OPERATIONS: [path: string, required: Record<string, string>][] = [
  ['/logs', {}],
  ['/logs/search', { q: 'word' }],
  ['/errors', {}],
  ['/overview', {}],
  ['/trends', {}],
]

describe('OP-143: an unknown query parameter', () => {
  it.each([...OPERATIONS, ['/devices', {}], ['/alerts', {}]] as typeof OPERATIONS)(
    'of GET /edge%s is refused and named',
    async (path, required) => {
      const member = await createMember()
      for (const field of ['levels', 'mode', '_', 'a.b']) {
        const query = { ...required, [field]: 'x' }
        const { status, body } = await get<{ field: string }>(member, path, query)
        expect([status, body.content.field]).toEqual([400, field])
      }
    },
  )
})

describe('OP-144: the filters of GET /edge/logs', () => {
  const fingerprint = 'cd'.repeat(16)
  const wanted = {
    device_id: 'till-7',
    level: 'error' as const,
    category: 'payment',
    environment: 'production',
    error_fingerprint: fingerprint,
  }

  async function addFiltered(): Promise<Member> {
    const member = await createMember()
    const log = { ...wanted, message: 'card', error_type: 'TimeoutError' }
    await add(
      member,
      log,
      { ...log, device_id: 'till-8', error_type: 'OtherError' },
      { ...log, level: 'fatal' },
      { ...log, level: 'warn', error_fingerprint: '' },
      { ...log, category: 'network' },
      { ...log, environment: 'staging', device_id: 'till-9' },
      { ...log, error_fingerprint: 'ef'.repeat(16) },
      { ...log, message: 'drawer' },
    )
    return member
  }

  it('work in the search', async () => {
    const member = await addFiltered()
    const total = async (query: Record<string, string>) =>
      (await read<LogPage>(member, '/logs/search', { q: 'card', ...query })).pagination.total
    expect(await total({})).toBe(7)
    expect(await total({ level: 'error' })).toBe(5)
    expect(await total({ category: 'payment', environment: 'production' })).toBe(5)
    expect(await total({ device_id: 'till-8' })).toBe(1)
    expect(await total({ error_fingerprint: fingerprint })).toBe(5)
    expect(await total(wanted)).toBe(1)
  })

  it('work for error groups, with the numbers of the filtered errors', async () => {
    const member = await addFiltered()
    const groups = async (query: Record<string, string>) =>
      (await read<ErrorGroupRecord[]>(member, '/errors', query)).map(
        ({ count, affected_devices }) => [count, affected_devices],
      )
    expect(await groups({})).toEqual([
      [6, 3],
      [1, 1],
    ])
    expect(await groups({ environment: 'production', error_fingerprint: fingerprint })).toEqual([
      [5, 2],
    ])
    expect(await groups({ device_id: 'till-9' })).toEqual([[1, 1]])
    expect(await groups({ level: 'fatal' })).toEqual([[1, 1]])
    expect(await groups({ level: 'warn' })).toEqual([])
    expect(await groups(wanted)).toEqual([[2, 1]])
  })

  it('work for the overview, except for the numbers of all devices', async () => {
    const member = await addFiltered()
    const all = await read<Overview>(member, '/overview')
    expect(all).toMatchObject({ logs: { total: 8 }, errors: { total: 7, unique_types: 2 } })
    expect(await read<Overview>(member, '/overview', { environment: 'production' })).toEqual({
      logs: { total: 7, by_level: levels({ warn: 1, error: 5, fatal: 1 }) },
      devices: { total: 0, active: 0, with_errors: 2 },
      errors: { total: 6, unique_types: 2, error_rate: 85.71 },
      trends: { logs_24h: 7, logs_24h_change: 100 },
    })
    expect(await read<Overview>(member, '/overview', wanted)).toMatchObject({
      logs: { total: 2 },
      devices: { with_errors: 1 },
      errors: { total: 2, unique_types: 1, error_rate: 100 },
      trends: { logs_24h: 2 },
    })
  })

  it('work for trends', async () => {
    const member = await addFiltered()
    const total = async (query: Record<string, string>) =>
      (
        await read<{ total: number }[]>(member, '/trends', { granularity: 'hour', ...query })
      ).reduce((sum, point) => sum + point.total, 0)
    expect(await total({})).toBe(8)
    expect(await total({ level: 'error' })).toBe(6)
    expect(await total({ category: 'payment', environment: 'production' })).toBe(6)
    expect(await total({ device_id: 'till-8' })).toBe(1)
    expect(await total({ error_fingerprint: fingerprint })).toBe(6)
    expect(await total(wanted)).toBe(2)
  })

  it.each(OPERATIONS)('are named if they are invalid: GET /edge%s', async (path, required) => {
    const member = await createMember()
    for (const [field, value] of [
      ['level', 'loud'],
      ['device_id', 'x'.repeat(513)],
    ] as const) {
      const query = { ...required, [field]: value }
      const { status, body } = await get<{ field: string }>(member, path, query)
      expect([status, body.content.field]).toEqual([400, field])
    }
  })
})
