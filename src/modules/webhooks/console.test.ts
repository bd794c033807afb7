import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addEndpoint, addEvents, deliveriesOf, newEvent } from '../../../test/support/webhooks.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import { emitEvents } from '../events/index.ts'

const harness = useHarness()
const db = () => harness().stores.db
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Member = { org_id: string; token: string }
let member: Member
beforeEach(async () => {
  const { org_id } = await harness().createTenant()
  member = { org_id, token: await harness().signIn(org_id, 'member') }
})

type Content = Record<string, unknown> & { field: string }
const get = async <C = Content>(path: string, query: Record<string, string> = {}, as = member) =>
  await harness().call<C>({
    method: 'GET',
    path: `/console/api/webhooks${path}?${new URLSearchParams({ org_id: as.org_id, ...query }).toString()}`,
    token: as.token,
  })
const patch = async (path: string, body: Record<string, unknown> = {}, as = member) =>
  await harness().call<Content>({
    method: 'PATCH',
    path: `/console/api/webhooks${path}`,
    token: as.token,
    body: { org_id: as.org_id, ...body },
  })
const post = async (path: string, body: Record<string, unknown> = {}, as = member) =>
  await harness().call<Content>({
    method: 'POST',
    path: `/console/api/webhooks${path}`,
    token: as.token,
    body: { org_id: as.org_id, ...body },
  })

/**
 * Adds a delivery per outcome, with these statuses and ages, to a new endpoint. Deliveries of the same
 * age are a millisecond apart, so that their ids have the order of the outcomes. @returns its id
 */
async function addHistory(outcomes: readonly (readonly [status: string, ageHours: number])[]) {
  const { id } = await addEndpoint(db(), { org_id: member.org_id })
  await addEvents(db(), member.org_id, outcomes.length)
  const rows = await deliveriesOf(db(), id)
  const now = Date.now() - outcomes.length
  for (const [index, [status, age]] of outcomes.entries()) {
    const at = new Date(now + index - age * HOUR_MS)
    const hex = at.getTime().toString(16).padStart(12, '0')
    const dated = `${hex.slice(0, 8)}-${hex.slice(8)}${String(rows[index]?.id).slice(13)}`
    await sql`
      update webhook_deliveries set id = ${dated}::uuid, created_at = ${at}, status = ${status},
        attempts = ${status === 'pending' ? 0 : 3}, latency_ms = ${index * 10},
        due_at = case when ${status} in ('succeeded', 'exhausted') then null
          else now() + interval '1 day' end
      where id = ${rows[index]?.id}`.execute(db())
  }
  return id
}
const statusesOf = async (id: string) => (await deliveriesOf(db(), id)).map(({ status }) => status)

describe('GET /console/api/webhooks', () => {
  it('shows the reason and start of a pause, and the start of failures', async () => {
    const at = new Date('2026-03-01T12:00:00.000Z')
    const { id, url } = await addEndpoint(db(), {
      org_id: member.org_id,
      status: 'paused',
      pause_reason: 'failing',
      paused_at: at,
      failing_since: at,
    })
    const { status, body } = await get<Content[]>('')
    expect(status).toBe(200)
    expect(body.content).toEqual([
      expect.objectContaining({
        id,
        url,
        mode: 'live',
        status: 'paused',
        pause_reason: 'failing',
        paused_at: at.toISOString(),
        failing_since: at.toISOString(),
      }),
    ])
    expect(JSON.stringify(body.content)).not.toContain('sealed')
  })
})

describe('GET /console/api/webhooks/:id/statistics', () => {
  it('counts the deliveries of a time range', async () => {
    const id = await addHistory([
      ['exhausted', 30],
      ['succeeded', 3],
      ['succeeded', 3],
      ['succeeded', 2],
      ['failed', 2],
      ['pending', 1],
    ])
    const { status, body } = await get(`/${id}/statistics`)
    expect(status).toBe(200)
    expect(body.content).toEqual({
      hours: 24,
      counted: 5,
      is_partial: false,
      by_status: { succeeded: 3, failed: 1, pending: 1 },
      success_rate: 0.75,
      oldest_due_at: expect.stringMatching(/Z$/) as string,
      latency_p50_ms: 30,
      latency_p95_ms: 50,
    })
    const longer = await get(`/${id}/statistics`, { hours: '48' })
    expect(longer.body.content).toMatchObject({ counted: 6, success_rate: 0.6 })
  })

  it('reports zero deliveries and no rates for an endpoint without any', async () => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    expect((await get(`/${id}/statistics`)).body.content).toMatchObject({
      counted: 0,
      by_status: {},
      success_rate: null,
      oldest_due_at: null,
      latency_p50_ms: null,
    })
  })

  it.each(['0', '2161', 'x'])('refuses %s hours', async (hours) => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    const { status, body } = await get(`/${id}/statistics`, { hours })
    expect({ status, field: body.content.field }).toEqual({ status: 400, field: 'hours' })
  })
})

describe('POST /console/api/webhooks/:id/replay', () => {
  const HISTORY = [
    ['exhausted', 30],
    ['exhausted', 3],
    ['succeeded', 3],
    ['failed', 2],
    ['pending', 1],
  ] as const

  it('replays undelivered events with a fresh retry schedule', async () => {
    const id = await addHistory(HISTORY)
    const { status, body } = await post(`/${id}/replay`)
    expect(status).toBe(200)
    const [last] = (await deliveriesOf(db(), id))
      .filter((delivery) => delivery.status !== 'succeeded')
      .slice(2)
    expect(body.content).toEqual({ replayed: 3, is_more: false, last_id: last?.id })
    expect((await post(`/${id}/replay`, { after: last?.id })).body.content).toEqual({
      replayed: 0,
      is_more: false,
      last_id: null,
    })
    expect(await statusesOf(id)).toEqual(['pending', 'pending', 'succeeded', 'pending', 'pending'])
    const due = (await deliveriesOf(db(), id)).filter(
      (row) => row.due_at && row.due_at <= new Date(),
    )
    expect(due.map(({ attempts }) => attempts)).toEqual([0, 0, 0])
  })

  it('replays all deliveries of a time range, whatever their status', async () => {
    const id = await addHistory(HISTORY)
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
    const statuses = ['succeeded', 'failed', 'exhausted']
    const { body } = await post(`/${id}/replay`, { statuses, from: ago(4), until: ago(2.5) })
    expect(body.content).toMatchObject({ replayed: 2, is_more: false })
    expect(await statusesOf(id)).toEqual(['exhausted', 'pending', 'pending', 'failed', 'pending'])
  })

  it.each([
    ['from', { from: '2026-02-31T00:00:00Z' }],
    ['until', { until: 'yesterday' }],
    ['statuses.0', { statuses: ['pending'] }],
    ['statuses', { statuses: [] }],
    ['after', { after: 'the-last' }],
  ])('rejects an invalid %s by name', async (field, given) => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    const { status, body } = await post(`/${id}/replay`, given)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })
})

describe('POST /console/api/webhooks', () => {
  const given = { url: 'https://hooks.example.com/vigil', events: ['order.fraud.detected'] }

  it('creates an endpoint in the requested mode, which never receives events of the other', async () => {
    const { status, body } = await post('', { ...given, mode: 'test' })
    expect(status).toBe(200)
    const { id, secret } = body.content as unknown as { id: string; secret: string }
    expect(secret).toMatch(/^whsec_\w{40}$/)
    const { body: listed } = await get<Content[]>('')
    expect(listed.content).toMatchObject([{ id, mode: 'test', url: given.url }])
    expect(JSON.stringify(listed)).not.toContain(secret)
    const { org_id } = member
    await emitEvents(db(), [newEvent(org_id, { type: 'order.fraud.detected' })])
    expect(await deliveriesOf(db(), id)).toEqual([])
    await emitEvents(db(), [newEvent(org_id, { type: 'order.fraud.detected', mode: 'test' })])
    expect(await deliveriesOf(db(), id)).toHaveLength(1)
  })

  it('rejects invalid fields by name', async () => {
    const wrong = [
      ['mode', { ...given }],
      ['mode', { ...given, mode: 'both' }],
      ['url', { ...given, mode: 'live', url: 'https://10.0.0.1/hook' }],
      ['events', { ...given, mode: 'live', events: [] }],
    ] as const
    for (const [field, request] of wrong) {
      const { status, body } = await post('', request)
      expect({ status, field: body.content.field }).toEqual({ status: 400, field })
    }
  })

  it('is denied to the Free plan and to users who are not members', async () => {
    const free = await harness().createTenant('free')
    const token = await harness().signIn(free.org_id)
    const request = { ...given, mode: 'live' }
    expect((await post('', request, { org_id: free.org_id, token })).status).toBe(403)
    expect((await post('', request, { ...member, org_id: free.org_id })).status).toBe(404)
  })
})

describe('POST /console/api/webhooks/:id/mode', () => {
  it('switches an endpoint between live and test events', async () => {
    const { id, org_id } = await addEndpoint(db(), { org_id: member.org_id })
    const { status, body } = await post(`/${id}/mode`, { mode: 'test' })
    expect(status).toBe(200)
    expect(body.content['mode']).toBe('test')
    await emitEvents(db(), [newEvent(org_id)])
    expect(await deliveriesOf(db(), id)).toEqual([])
    expect((await post(`/${id}/mode`, { mode: 'both' })).body.content.field).toBe('mode')
  })
})

describe('PATCH /console/api/webhooks/:id', () => {
  const filter = {
    match: 'all',
    conditions: [{ field: 'data.amount_cents', operator: 'gt', value: 10_000 }],
  }

  it('sets and removes filter, headers and rate, and never shows the values of headers', async () => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    const headers = [{ name: 'X-Tenant', value: 'hidden-value' }]
    const { status, body } = await patch(`/${id}`, { filter, headers, rate_per_second: 5 })
    expect(status).toBe(200)
    const shown = { filter, header_names: ['x-tenant'], rate_per_second: 5 }
    expect(body.content).toMatchObject(shown)
    const { body: listed } = await get<Content[]>('')
    expect(listed.content).toMatchObject([shown])
    expect(JSON.stringify([body, listed])).not.toMatch(/hidden-value|sealed|filter_path/)
    const [row] = await db()
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', id)
      .execute()
    expect(row?.sealed_headers).toMatch(/^v1\./)
    await patch(`/${id}`, { rate_per_second: null })
    await patch(`/${id}`, { headers: [{ name: 'x-tenant' }], filter: null })
    const { body: last } = await patch(`/${id}`)
    expect(last.content).toMatchObject({
      filter: null,
      header_names: ['x-tenant'],
      rate_per_second: null,
    })
  })

  it('leaves the documented answers as they are', async () => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    await patch(`/${id}`, { filter, rate_per_second: 5 })
    const { body } = await harness().call<Content>({
      method: 'GET',
      path: `/v1/webhooks/${id}?org_id=${member.org_id}`,
      token: member.token,
    })
    expect(Object.keys(body.content).toSorted()).toEqual([
      'created_at',
      'description',
      'events',
      'id',
      'secret_prefix',
      'status',
      'updated_at',
      'url',
    ])
  })

  it.each([
    [
      'filter.conditions.0',
      { filter: { match: 'all', conditions: [{ field: 'x', operator: 'eq', value: 1 }] } },
    ],
    [
      'filter.conditions.0.operator',
      { filter: { match: 'all', conditions: [{ field: 'data.x', operator: 'like' }] } },
    ],
    ['filter.conditions', { filter: { match: 'all', conditions: [] } }],
    ['headers', { headers: [{ name: 'Host', value: 'x' }] }],
    ['rate_per_second', { rate_per_second: 0 }],
    ['url', { url: 'https://hooks.example.com' }],
  ])('rejects an invalid %s by name', async (field, given) => {
    const { id } = await addEndpoint(db(), { org_id: member.org_id })
    const { status, body } = await patch(`/${id}`, given)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })
})

describe('POST /console/api/webhooks/preview', () => {
  it('shows which of the newest events pass, of this organization and mode only', async () => {
    const { org_id } = member
    const type = 'order.fraud.detected'
    const data = (amount_cents: number) => ({ type, data: { amount_cents } }) as const
    await emitEvents(db(), [
      newEvent(org_id, { ...data(5), id: '01a1f716-c360-7b08-aad8-533adec87a01' }),
      newEvent(org_id, { ...data(50_000), id: '01a1f716-c360-7b08-aad8-533adec87a02' }),
      newEvent(org_id, { ...data(50_000), mode: 'test' }),
      newEvent(org_id),
      newEvent(NO_ONE, data(50_000)),
    ])
    const conditions = [{ field: 'data.amount_cents', operator: 'gte', value: 100 }]
    const request = { mode: 'live', events: [type], filter: { match: 'any', conditions } }
    const { body } = await post('/preview', request)
    expect(body.content).toMatchObject([{ passes: true }, { passes: false }])
    const { body: open } = await post('/preview', { ...request, filter: null })
    expect(open.content).toMatchObject([{ passes: true }, { passes: true }])
  })
})

describe('POST /console/api/webhooks/:id/roll-secret', () => {
  it('lets the former secret sign until the overlap ends, and the documented one ends it', async () => {
    const created = await post('', {
      url: 'https://hooks.example.com/vigil',
      events: ['order.fraud.detected'],
      mode: 'live',
    })
    const { id } = created.body.content as unknown as { id: string }
    const until = async () => (await get<Content[]>('')).body.content[0]?.['previous_secret_until']
    expect((await post(`/${id}/roll-secret`, { overlap_hours: 24 })).status).toBe(200)
    expect(Date.parse(String(await until()))).toBeGreaterThan(Date.now() + 23 * HOUR_MS)
    const { status } = await harness().call({
      method: 'POST',
      path: `/v1/webhooks/${id}/roll-secret`,
      token: member.token,
      body: { org_id: member.org_id },
    })
    expect([status, await until()]).toEqual([200, null])
    expect((await post(`/${id}/roll-secret`, { overlap_hours: 169 })).body.content.field).toBe(
      'overlap_hours',
    )
  })
})

describe('an endpoint of another organization', () => {
  it('is not found, and neither is an organization that the user is not a member of', async () => {
    const { id, org_id } = await addEndpoint(db())
    for (const target of [id, NO_ONE, 'x']) {
      expect((await get(`/${target}/statistics`)).status).toBe(404)
      expect((await post(`/${target}/replay`)).status).toBe(404)
      expect((await post(`/${target}/mode`, { mode: 'test' })).status).toBe(404)
      expect((await patch(`/${target}`, { filter: null })).status).toBe(404)
      expect((await post(`/${target}/roll-secret`)).status).toBe(404)
    }
    const foreign = { ...member, org_id }
    expect((await get('', {}, foreign)).status).toBe(404)
    expect((await get(`/${id}/statistics`, {}, foreign)).status).toBe(404)
    expect((await post(`/${id}/replay`, {}, foreign)).status).toBe(404)
    expect((await post(`/${id}/mode`, { mode: 'test' }, foreign)).status).toBe(404)
  })
})
