/** OP-16: creating, listing and deleting log alert rules with `/edge/alerts`, and their status. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Role } from '../../src/modules/accounts/tables.ts'
import { readOldestWaiting } from '../../src/platform/spool/index.ts'
import { MINUTE_MS } from '../../src/platform/time-units.ts'
import { ownDatabase } from '../database.ts'
import { useHarness } from '../harness.ts'
import { NOT_FOUND, success } from '../support/answers.ts'

const TEN = new Date('2026-03-01T10:00:00.000Z')
const at = (minutes: number) => new Date(TEN.getTime() + minutes * MINUTE_MS)

// A database of its own, because the rules of all organizations are evaluated together.
const db = ownDatabase()
const harness = useHarness({
  db,
  clock: { now: () => TEN },
  settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1', VIGIL_EDGE_ALERTS_MAX: '3' },
})

const RULE = {
  name: 'Card readers fail',
  condition: { level: 'error,fatal', category: 'payment', q: '"card reader" timeout' },
  threshold: 20,
  window_minutes: 5,
}

type Alert = typeof RULE & {
  id: string
  status: string
  last_fired_at: string | null
  last_resolved_at: string | null
}
type Member = { org_id: string; token: string }

async function createMember(role: Role = 'admin') {
  const { org_id, keys } = await harness().createTenant('free')
  const token = await harness().signIn(org_id, role)
  return { org_id, token, key: keys.live_secret, test_key: keys.test_secret }
}
const create = async ({ org_id, token }: Member, given: Record<string, unknown> = {}) =>
  await harness().post<Alert & { field: string }>(
    '/v1/edge/alerts',
    { org_id, ...RULE, ...given },
    { token },
  )
const list = async ({ org_id, token }: Member) =>
  (await harness().get<Alert[]>(`/v1/edge/alerts?org_id=${org_id}`, { token })).body.content
const remove = async ({ org_id, token }: Member, id: string) =>
  await harness().call({
    method: 'DELETE',
    path: `/v1/edge/alerts?org_id=${org_id}&id=${encodeURIComponent(id)}`,
    token,
  })

describe('POST /edge/alerts', () => {
  it('OP-16: returns the rule, which does not fire yet', async () => {
    const member = await createMember()
    const { status, body } = await create(member)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Alert created',
        content: {
          id: body.content.id,
          ...RULE,
          kind: 'count',
          ratio_percent: null,
          muted_until: null,
          status: 'ok',
          last_fired_at: null,
          last_resolved_at: null,
        },
      },
    })
    expect(await list(member)).toEqual([body.content])
  })

  it.each([
    [{}],
    [{ level: 'debug' }],
    [{ environment: 'production', device_id: 'pos-3', error_fingerprint: 'f00' }],
  ])('accepts the condition %j', async (condition) => {
    const { status, body } = await create(await createMember(), { condition })
    expect({ status, condition: body.content.condition }).toEqual({ status: 200, condition })
  })

  it.each([
    ['org_id', { org_id: undefined }],
    ['name', { name: '' }],
    ['name', { name: undefined }],
    ['condition', { condition: undefined }],
    ['condition', { condition: 'error' }],
    ['condition.bogus', { condition: { bogus: 'x' } }],
    ['condition.levels', { condition: { level: 'error', levels: 'error' } }],
    ['condition.level', { condition: { level: 'severe' } }],
    ['condition.level', { condition: { level: 'error,' } }],
    ['condition.level', { condition: { level: ['error'] } }],
    ['condition.category', { condition: { category: '' } }],
    ['condition.device_id', { condition: { device_id: 3 } }],
    ['condition.q', { condition: { q: '' } }],
    ['condition.q', { condition: { q: ' "-" ' } }],
    ['threshold', { threshold: 0 }],
    ['threshold', { threshold: 1.5 }],
    ['threshold', { threshold: 3_000_000_000 }],
    ['window_minutes', { window_minutes: 0 }],
    ['window_minutes', { window_minutes: 1441 }],
    ['kind', { kind: 'sum' }],
    ['ratio_percent', { kind: 'ratio' }],
    ['ratio_percent', { kind: 'ratio', ratio_percent: 0 }],
    ['ratio_percent', { kind: 'ratio', ratio_percent: 100.5 }],
    ['ratio_percent', { kind: 'absence', ratio_percent: 5 }],
    ['ratio_percent', { ratio_percent: 5 }],
  ])('refuses an invalid %s and names it: %j', async (field, given) => {
    const member = await createMember()
    const { status, body } = await create(member, given)
    expect([status, body.code, body.content.field]).toEqual([400, 'invalid_request', field])
    expect(await list(member)).toEqual([])
  })

  it.each([
    [{ kind: 'absence', condition: { device_id: 'till-7' }, threshold: 1 }],
    [{ kind: 'ratio', ratio_percent: 2.5 }],
    [{ kind: 'new_group', condition: {} }],
  ])('OP-171: accepts and lists the kind %j', async (given) => {
    const member = await createMember()
    const { status, body } = await create(member, given)
    expect({ status, content: body.content }).toMatchObject({ status: 200, content: given })
    expect(await list(member)).toEqual([body.content])
  })

  it('OP-172: and deleting are for owners and admins; members read', async () => {
    const admin = await createMember()
    const { id } = (await create(admin)).body.content
    const token = await harness().signIn(admin.org_id, 'member')
    const member = { ...admin, token }
    expect(await list(member)).toHaveLength(1)
    expect((await create(member)).status).toBe(403)
    expect((await remove(member, id)).status).toBe(403)
    expect(await list(member)).toHaveLength(1)
  })

  it('OP-16: limits the number of rules', async () => {
    const member = await createMember()
    for (let made = 0; made < 3; made += 1) await create(member)
    const { status, body } = await create(member)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field: 'org_id' })
    const [first] = await list(member)
    await remove(member, first?.id ?? '')
    expect((await create(member)).status).toBe(200)
  })
})

describe('DELETE /edge/alerts', () => {
  it('deletes the rule once', async () => {
    const member = await createMember()
    const { id } = (await create(member)).body.content
    const { status, body } = await remove(member, id)
    expect({ status, body }).toEqual(success('Alert deleted', {}))
    expect(await list(member)).toEqual([])
    expect((await remove(member, id)).status).toBe(404)
  })

  it('OP-38: finds no unknown rule and none of another organization', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { id } = (await create(other)).body.content
    for (const wrong of [id, 'x', '', '\0', 'x'.repeat(3000)]) {
      expect((await remove(member, wrong)).status).toBe(404)
    }
    expect(await list(other)).toHaveLength(1)
  })
})

describe.each(['GET', 'POST', 'DELETE'] as const)('%s /edge/alerts', (method) => {
  const call = async (orgId: string, sent: { key?: string; token?: string }) =>
    await harness().call({
      method,
      path: `/v1/edge/alerts?org_id=${orgId}${method === 'DELETE' ? '&id=x' : ''}`,
      ...sent,
      ...(method === 'POST' && { body: { org_id: orgId, ...RULE } }),
    })

  it('is for members of the organization with an access token', async () => {
    const member = await createMember()
    const stranger = await createMember('owner')
    expect((await call(member.org_id, {})).status).toBe(401)
    expect((await call(member.org_id, { key: member.key })).status).toBe(401)
    const { status, body } = await call(member.org_id, { token: stranger.token })
    expect({ status, body }).toEqual(NOT_FOUND)
  })
})

describe('a rule that fires', () => {
  const flushers = () => harness().services.telemetry.flushers
  beforeAll(() => flushers().forEach((flusher) => flusher.start()))
  afterAll(async () => {
    await Promise.all(flushers().map(async (flusher) => await flusher.stop(5000)))
  })

  /** Resolves when the logs can be counted. */
  async function sendLogs(key: string, logs: Record<string, unknown>[]): Promise<void> {
    const { status } = await harness().post(
      '/v1/edge/logs',
      { logs: logs.map((log) => ({ device_id: 'pos-3', message: 'Timeout', ...log })) },
      { key },
    )
    expect(status).toBe(200)
    await vi.waitFor(
      async () => expect((await readOldestWaiting(db, 'edge_logs')).size).toBe(0),
      15_000,
    )
  }
  const evaluate = async (minutes: number) =>
    await harness().services.telemetry.alerts.evaluate(at(minutes), new AbortController().signal)

  it('OP-16: shows its status and when it began and stopped firing', async () => {
    const member = await createMember()
    const condition = { level: 'error,fatal', category: 'payment', q: 'timeout' }
    await create(member, { condition, threshold: 2 })
    const matching = { level: 'error', category: 'payment' }
    await sendLogs(member.key, [
      { ...matching, timestamp: at(-1).toISOString() },
      { ...matching, level: 'info' },
      { ...matching, category: 'paper' },
      { ...matching, message: 'Card not read' },
      { ...matching, timestamp: '2099-01-01T00:00:00Z' },
    ])
    await evaluate(1)
    expect(await list(member)).toMatchObject([{ status: 'ok', last_fired_at: null }])
    await sendLogs(member.key, [{ ...matching, level: 'fatal', timestamp: at(0.5).toISOString() }])
    await evaluate(2)
    const last_fired_at = at(2).toISOString()
    expect(await list(member)).toMatchObject([
      { status: 'firing', last_fired_at, last_resolved_at: null },
    ])
    // The last window with both logs ended at minute 4, and the lateness adds five minutes.
    await evaluate(9)
    expect(await list(member)).toMatchObject([{ status: 'firing', last_fired_at }])
    await evaluate(10)
    expect(await list(member)).toMatchObject([
      { status: 'ok', last_fired_at, last_resolved_at: at(10).toISOString() },
    ])
  })

  it('counts no logs of test keys and none of another organization', async () => {
    const [member, other] = [await createMember(), await createMember()]
    await create(member, { condition: {}, threshold: 1 })
    await sendLogs(member.test_key, [{ level: 'error' }])
    await sendLogs(other.key, [{ level: 'error' }])
    await evaluate(1)
    expect(await list(member)).toMatchObject([{ status: 'ok', last_fired_at: null }])
    await sendLogs(member.key, [{ level: 'error' }])
    await evaluate(2)
    expect(await list(member)).toMatchObject([{ status: 'firing' }])
  })
})
