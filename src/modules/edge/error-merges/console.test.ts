import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../../test/support/edge-logs.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { createMinuteCounts } from '../alerts/minute-counts.store.ts'
import type { ErrorGroupDetails, ErrorGroupRecord, ErrorTrends, LogPage } from '../logs/schema.ts'
import type { MergedGroups } from './schema.ts'

const NOW = Date.parse('2026-03-02T12:30:00.000Z')
const harness = useHarness({
  settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
  clock: { now: () => new Date(NOW) },
})
const [A, B, C] = ['aa', 'bb', 'cc'].map((each) => each.repeat(16)) as [string, string, string]

type Member = { org_id: string; token: string }

async function createMember(): Promise<Member> {
  const { org_id } = await harness().createTenant('free')
  const member = { org_id, token: await harness().signIn(org_id, 'member') }
  await addErrors(member, [A, 'till-1'], [A, 'till-2'], [B, 'till-2'], [C, 'till-3'])
  return member
}

async function addErrors(
  { org_id }: Member,
  ...errors: [fingerprint: string, device_id: string][]
) {
  const logs = errors.map(([error_fingerprint, device_id], index) => {
    const timestamp_ms = NOW - 2 * HOUR_MS + index * 60_000
    const error = { level: 'error', error_fingerprint, device_id } as const
    return edgeLog({ org_id, ...error, timestamp_ms, received_at_ms: NOW })
  })
  await addEdgeLogs(harness().stores.analytics.clickhouse, logs)
}

async function get<Content>({ org_id, token }: Member, path: string, query = {}) {
  const text = new URLSearchParams({ org_id, ...query })
  return await harness().call<Content>({ method: 'GET', path: `${path}?${text.toString()}`, token })
}
const mergesPath = (fingerprint: string) => `/console/api/edge/errors/${fingerprint}/merges`
const merge = async ({ org_id, token }: Member, fingerprint: string, into: string) =>
  await harness().call<MergedGroups & { field: string }>({
    method: 'POST',
    path: mergesPath(fingerprint),
    token,
    body: { org_id, into },
  })
const split = async ({ org_id, token }: Member, fingerprint: string) =>
  await harness().call<MergedGroups>({
    method: 'DELETE',
    path: `${mergesPath(fingerprint)}?org_id=${org_id}`,
    token,
  })

const groupsOf = async (member: Member, path = '/console/api/edge/errors') =>
  (await get<ErrorGroupRecord[]>(member, path)).body.content.map(
    ({ fingerprint, count, affected_devices }) => [fingerprint, count, affected_devices],
  )

describe('merged error groups', () => {
  it('are one group everywhere, also for later errors, until they are split', async () => {
    const member = await createMember()
    const apart = [
      [A, 2, 2],
      [C, 1, 1],
      [B, 1, 1],
    ]
    expect(await groupsOf(member)).toEqual(apart)
    const merged = await merge(member, B, A)
    expect([merged.status, merged.body.content]).toMatchObject([
      200,
      { group: A, merged: [{ fingerprint: B, merged_by: expect.stringContaining('@') as string }] },
    ])
    await addErrors(member, [B, 'till-9'])
    const expected = [
      [A, 4, 3],
      [C, 1, 1],
    ]
    expect(await groupsOf(member)).toEqual(expected)
    expect(await groupsOf(member, '/v1/edge/errors')).toEqual(expected)
    for (const fingerprint of [A, B]) {
      const path = `/console/api/edge/errors/${fingerprint}`
      const { body } = await get<ErrorGroupDetails>(member, path)
      expect(body.content).toMatchObject({ fingerprint: A, count: 4, affected_devices: 3 })
      expect(body.content.devices.map(({ device_id, count }) => [device_id, count])).toEqual([
        ['till-2', 2],
        ['till-1', 1],
        ['till-9', 1],
      ])
    }
    const logs = { error_fingerprint: A }
    for (const path of ['/console/api/edge/logs', '/v1/edge/logs']) {
      expect((await get<LogPage>(member, path, logs)).body.content.pagination.total).toBe(4)
    }
    const trends = await get<ErrorTrends>(member, '/console/api/edge/errors/trends', {
      fingerprints: A,
      start_date: '2026-03-02T00:00:00Z',
    })
    expect(trends.body.content.trends[0]?.counts.reduce((sum, count) => sum + count)).toBe(4)
    const device = await get<{ errors: object[] }>(member, '/console/api/edge/device/errors', {
      device_id: 'till-2',
    })
    expect(device.body.content.errors).toMatchObject([{ fingerprint: A, count: 2 }])

    expect((await split(member, B)).body.content).toEqual({ group: B, merged: [] })
    expect(new Set(await groupsOf(member))).toEqual(
      new Set([
        [A, 2, 2],
        [B, 2, 2],
        [C, 1, 1],
      ]),
    )
    expect((await split(member, B)).status).toBe(404)
  })

  it('are counted together by alert rules and selected together in the live tail', async () => {
    const member = await createMember()
    await merge(member, B, A)
    const { db, analytics } = harness().stores
    const condition = { error_fingerprint: A }
    const time = { from: new Date(NOW - 3 * HOUR_MS), until: new Date(NOW) }
    const rule = { org_id: member.org_id, condition }
    const counts = await createMinuteCounts(analytics.clickhouse, db)(rule, time, 10_000)
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(3)
    const { tail } = harness().parts.telemetry
    const owner = { org_id: member.org_id, mode: 'live' } as const
    expect(await tail.filtersOf(owner, condition)).toEqual({ error_fingerprint: [A, B] })
  })

  it('have one state, and are never merged further', async () => {
    const member = await createMember()
    await merge(member, B, A)
    const { org_id, token } = member
    const path = `/console/api/edge/errors/${B}/state`
    await harness().call({ method: 'PATCH', path, token, body: { org_id, state: 'acknowledged' } })
    const states = await get<{ states: object[] }>(member, '/console/api/edge/errors/states', {
      fingerprints: A,
    })
    expect(states.body.content.states).toMatchObject([{ state: 'acknowledged' }])
    expect((await merge(member, A, C)).body.content.merged.map((each) => each.fingerprint)).toEqual(
      [A, B],
    )
    expect(await groupsOf(member)).toEqual([[C, 4, 3]])
    const entries = await harness()
      .stores.db.selectFrom('audit_log')
      .select(['action', 'target', 'details'])
      .where('org_id', '=', org_id)
      .where('action', '=', 'error_group.merged')
      .orderBy('id')
      .execute()
    expect(entries.map(({ target, details }) => [target, details])).toEqual([
      [B, { mode: 'live', into: A }],
      [A, { mode: 'live', into: C }],
    ])
  })

  it('have to be two groups of the organization', async () => {
    const member = await createMember()
    const unknown = 'dd'.repeat(16)
    const field = async (into: string) => {
      const { status, body } = await merge(member, B, into)
      return [status, body.content.field]
    }
    expect(await field(unknown)).toEqual([400, 'into'])
    expect(await field(B)).toEqual([400, 'into'])
    expect((await merge(member, unknown, A)).status).toBe(404)
    const stranger = await createMember()
    expect((await merge({ ...member, token: stranger.token }, B, A)).status).toBe(404)
    await merge(member, B, A)
    expect(await groupsOf(stranger)).toHaveLength(3)
    const test = await get<MergedGroups>(member, mergesPath(B), { mode: 'test' })
    expect(test.body.content).toEqual({ group: B, merged: [] })
  })
})
