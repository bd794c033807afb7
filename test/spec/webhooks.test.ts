/** Specification, "Webhooks" and Authentication 7: the nine operations. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Plan, Role } from '../../src/modules/accounts/tables.ts'
import { useHarness } from '../harness.ts'
import { NOT_FOUND } from '../support/answers.ts'
import { addEvents, addFailedDelivery, deliveriesOf } from '../support/webhooks.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const HOOK = { url: 'https://shop.example.com/hook', events: ['order.fraud.detected'] }

type Member = { org_id: string; token: string }
type Content = Record<string, unknown> & { id: string; secret: string; field: string }

async function createMember(plan: Plan = 'starter', role: Role = 'member'): Promise<Member> {
  const { org_id } = await harness().createTenant(plan)
  return { org_id, token: await harness().signIn(org_id, role) }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
/** Sends the organization in the body of mutations and otherwise in the query, as the specification says. */
async function call<C = Content>(
  { org_id, token }: Member,
  method: Method,
  path: string,
  body: Record<string, unknown> = {},
) {
  const isAsked = method === 'GET' || method === 'DELETE'
  return await harness().call<C>({
    method,
    path: `/v1/webhooks${path}${isAsked ? `?org_id=${org_id}` : ''}`,
    token,
    ...(!isAsked && { body: { org_id, ...body } }),
  })
}
const create = async (member: Member, given: Record<string, unknown> = {}) =>
  (await call(member, 'POST', '', { ...HOOK, ...given })).body.content
const stored = async (id: string) =>
  await harness()
    .stores.db.selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const OPERATIONS: [method: Method, path: string][] = [
  ['POST', ''],
  ['GET', ''],
  ['GET', '/:id'],
  ['PATCH', '/:id'],
  ['DELETE', '/:id'],
  ['POST', '/:id/roll-secret'],
  ['GET', '/:id/deliveries'],
  ['POST', '/:id/test'],
  ['POST', '/deliveries/:deliveryId/retry'],
]

describe.each(OPERATIONS)('%s /webhooks%s', (method, path) => {
  /** Replaces path parameters by ids of another organization. */
  async function filled(): Promise<string> {
    const { org_id } = await harness().createTenant()
    const there = await addFailedDelivery(harness().stores.db, org_id)
    return path.replace(':id', there.endpoint_id).replace(':deliveryId', there.delivery_id)
  }

  it('is restricted to members, whether the organization exists or not', async () => {
    const member = await createMember()
    const other = await createMember('business', 'owner')
    for (const org_id of [other.org_id, NO_ONE, 'x', '']) {
      const { status, body } = await call({ ...member, org_id }, method, await filled(), HOOK)
      expect({ org_id, status, body }).toEqual({
        org_id,
        status: 403,
        body: { success: false, message: 'Members of the organization only' },
      })
    }
  })

  it('requires the Starter plan or higher', async () => {
    const { status, body } = await call(await createMember('free', 'owner'), method, path, HOOK)
    expect(status).toBe(403)
    expect(body).toEqual({ success: false, message: 'A Starter or higher plan is required' })
  })

  it('requires an access token, not an API key', async () => {
    const { org_id, keys } = await harness().createTenant()
    const request = { method, path: `/v1/webhooks${path}?org_id=${org_id}`, key: keys.live_secret }
    const { status } = await harness().call({
      ...request,
      ...(method !== 'GET' && method !== 'DELETE' && { body: { org_id } }),
    })
    expect(status).toBe(401)
  })

  if (path !== '')
    it('finds nothing of other organizations', async () => {
      const { status, body } = await call(await createMember(), method, await filled(), HOOK)
      expect({ status, body }).toEqual(NOT_FOUND)
    })
})

describe('POST /webhooks', () => {
  it.each(['starter', 'business'] as const)('shows the secret, once: %s', async (plan) => {
    const member = await createMember(plan)
    const { status, body } = await call(member, 'POST', '', { ...HOOK, description: 'Orders' })
    expect(status).toBe(200)
    const { secret, ...endpoint } = body.content
    expect(endpoint).toEqual({
      id: expect.stringMatching(UUID) as string,
      ...HOOK,
      description: 'Orders',
      status: 'active',
      secret_prefix: secret.slice(0, 10),
      created_at: expect.stringMatching(/Z$/) as string,
      updated_at: endpoint['created_at'],
    })
    expect(secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/)
    const read = await call(member, 'GET', `/${endpoint.id}`)
    expect(read.body.content).toEqual(endpoint)
    expect((await call(member, 'GET', '')).body.content).toEqual([endpoint])
  })

  it('stores the secret sealed', async () => {
    const { id, secret } = await create(await createMember())
    const row = await stored(id)
    expect(JSON.stringify(row)).not.toContain(secret.slice(10))
    const opened = await harness().stores.sealer.open(row.secret, `webhook_endpoint:${id}`)
    expect(String(opened)).toBe(secret)
  })

  it('accepts every documented event, without duplicates, and no description', async () => {
    const member = await createMember()
    const events = [
      'order.fraud.detected',
      'order.fraud.alert',
      'profile.risk.changed',
      'cashier.fraud.detected',
      'email.check.completed',
      'email.check.failed',
      'mdm.device.enrolled',
      'mdm.device.compliance_changed',
      'mdm.command.completed',
    ]
    const content = await create(member, { events: [...events, events[0]] })
    expect(content).toMatchObject({ events, description: '' })
  })

  it.each([
    ['events.1', { events: ['order.fraud.detected', 'order.created'] }],
    ['events', { events: [] }],
    ['events', { events: 'order.fraud.detected' }],
    ['events', { events: undefined }],
    ['url', { url: undefined }],
    ['url', { url: 'http://shop.example.com/hook' }],
    ['url', { url: 'https://127.0.0.1/hook' }],
    ['url', { url: 'https://10.1.2.3/hook' }],
    ['url', { url: 'https://169.254.169.254/latest/meta-data/' }],
    ['url', { url: 'https://[::1]/hook' }],
    ['url', { url: 'https://localhost/hook' }],
    ['url', { url: 'https://printer.local/hook' }],
    ['url', { url: 'https://shop.test/hook' }],
    ['url', { url: 'https://shop.example/hook' }],
    ['url', { url: 'https://shop.invalid/hook' }],
    ['url', { url: 'https://shop.localhost/hook' }],
    ['url', { url: 'https://shop.example.com:22/hook' }],
    ['url', { url: 'https://user:secret@shop.example.com/hook' }],
    ['url', { url: 'https://shop.example.com/hook#part' }],
    ['url', { url: `https://shop.example.com/${'x'.repeat(2048)}` }],
    ['url', { url: 'shop.example.com/hook' }],
    ['description', { description: 'x'.repeat(1025) }],
    ['org_id', { org_id: undefined }],
  ])('rejects an invalid %s by name: %j', async (field, given) => {
    const { status, body } = await call(await createMember(), 'POST', '', { ...HOOK, ...given })
    expect([status, body.code, body.content.field]).toEqual([400, 'invalid_request', field])
  })

  it('rejects a name that resolves to a private address', async () => {
    harness().dns.setScenario({ names: { 'inside.example.com': { A: ['10.0.0.7'] } } })
    const member = await createMember()
    const { status, body } = await call(member, 'POST', '', {
      ...HOOK,
      url: 'https://inside.example.com/',
    })
    expect(status).toBe(400)
    expect(body.content.field).toBe('url')
    expect(body.message).toBe('url must lead to the public internet')
  })

  it('is limited to 100 endpoints', async () => {
    const member = await createMember()
    const created = await Promise.all(Array.from({ length: 100 }, () => create(member)))
    expect(new Set(created.map(({ id }) => id)).size).toBe(100)
    const { status, body } = await call(member, 'POST', '', HOOK)
    expect(status).toBe(400)
    expect(body.content.field).toBe('org_id')
  })
})

describe('GET /webhooks', () => {
  it('lists the newest first', async () => {
    const member = await createMember()
    const first = await create(member)
    const second = await create(member)
    const { body } = await call<Content[]>(member, 'GET', '')
    expect(body.content.map(({ id }) => id)).toEqual([second.id, first.id])
  })
})

describe('PATCH /webhooks/:id', () => {
  it('changes only the given fields', async () => {
    const member = await createMember()
    const { secret: _secret, ...before } = await create(member, { description: 'Old' })
    const next = { url: 'https://other.example.com:8443/x', events: ['email.check.failed'] }
    const { status, body } = await call(member, 'PATCH', `/${before.id}`, next)
    expect(status).toBe(200)
    expect(body.content).toEqual({
      ...before,
      ...next,
      updated_at: expect.any(String) as string,
    })
    expect((await stored(before.id)).host).toBe('other.example.com:8443')
    const described = await call(member, 'PATCH', `/${before.id}`, { description: '' })
    expect(described.body.content).toMatchObject({ ...next, description: '' })
    expect((await call(member, 'PATCH', `/${before.id}`)).status).toBe(200)
  })

  it.each([
    ['events.0', { events: ['x'] }],
    ['url', { url: 'https://192.168.0.1/' }],
    ['status', { status: 'deleted' }],
  ])('rejects an invalid %s by name', async (field, given) => {
    const member = await createMember()
    const { id } = await create(member)
    const { status, body } = await call(member, 'PATCH', `/${id}`, given)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })

  it('pauses and resumes, and a resumed endpoint starts without failures', async () => {
    const { db } = harness().stores
    const member = await createMember()
    const { id } = await create(member)
    const paused = await call(member, 'PATCH', `/${id}`, { status: 'paused' })
    expect(paused.body.content['status']).toBe('paused')
    expect(await stored(id)).toMatchObject({
      pause_reason: 'requested',
      paused_at: expect.any(Date) as Date,
    })
    await sql`update webhook_endpoints set pause_reason = 'gone', failing_since = now()
      where id = ${id}`.execute(db)
    await call(member, 'PATCH', `/${id}`, { status: 'paused' })
    expect(await stored(id)).toMatchObject({ pause_reason: 'gone' })
    const resumed = await call(member, 'PATCH', `/${id}`, { status: 'active' })
    expect(resumed.body.content['status']).toBe('active')
    expect(await stored(id)).toMatchObject({
      pause_reason: null,
      paused_at: null,
      failing_since: null,
    })
  })
})

describe('DELETE /webhooks/:id', () => {
  it('deletes the endpoint, its secret and its pending deliveries', async () => {
    const { db } = harness().stores
    const member = await createMember()
    const { id } = await create(member, { events: ['email.check.completed'] })
    await addEvents(db, member.org_id, 1)
    const [delivery] = await deliveriesOf(db, id)
    const { status, body } = await call(member, 'DELETE', `/${id}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, content: {} } })
    for (const [method, path] of OPERATIONS) {
      if (path === '') continue
      const full = path.replace(':id', id).replace(':deliveryId', delivery?.id ?? '')
      expect((await call(member, method, full, HOOK)).status, `${method} ${path}`).toBe(404)
    }
    expect((await call(member, 'GET', '')).body.content).toEqual([])
    expect((await stored(id)).secret).toBe('')
    await addEvents(db, member.org_id, 1)
    expect(await deliveriesOf(db, id)).toHaveLength(1)
  })
})

describe('POST /webhooks/:id/roll-secret', () => {
  it('shows a new secret once; the old one is gone', async () => {
    const member = await createMember()
    const { secret, ...before } = await create(member)
    const { status, body } = await call(member, 'POST', `/${before.id}/roll-secret`)
    const { secret: rolled, ...endpoint } = body.content
    expect(status).toBe(200)
    expect(rolled).toMatch(/^whsec_[0-9A-Za-z]{40}$/)
    expect(rolled).not.toBe(secret)
    expect(endpoint).toEqual({
      ...before,
      secret_prefix: rolled.slice(0, 10),
      updated_at: expect.any(String) as string,
    })
    const { secret: sealed } = await stored(before.id)
    const context = `webhook_endpoint:${before.id}`
    expect(String(await harness().stores.sealer.open(sealed, context))).toBe(rolled)
  })
})

describe('GET /webhooks/:id/deliveries', () => {
  it('OP-25: shows the newest first, each with its last attempt', async () => {
    const { db } = harness().stores
    const member = await createMember()
    const { endpoint_id } = await addFailedDelivery(db, member.org_id)
    const [event] = await addEvents(db, member.org_id, 1)
    const { status, body } = await call<Content[]>(member, 'GET', `/${endpoint_id}/deliveries`)
    expect(status).toBe(200)
    const [newest, failed] = body.content
    expect(newest).toEqual({
      id: expect.stringMatching(UUID) as string,
      event_id: event?.id,
      event_type: 'email.check.completed',
      status: 'pending',
      attempts: 0,
      next_attempt_at: expect.stringMatching(/Z$/) as string,
      response_status: null,
      response_body: null,
      error: null,
      latency_ms: null,
      created_at: expect.stringMatching(/Z$/) as string,
    })
    expect(failed).toMatchObject({
      status: 'failed',
      attempts: 1,
      response_status: 503,
      response_body: 'busy',
      error: 'Answered 503',
      latency_ms: 7,
    })
    expect(body.content).toHaveLength(2)
  })

  it('shows at most a hundred', async () => {
    const { db } = harness().stores
    const member = await createMember()
    const { id } = await create(member, { events: ['email.check.completed'] })
    await addEvents(db, member.org_id, 120)
    const { body } = await call<Content[]>(member, 'GET', `/${id}/deliveries`)
    const newest = (await deliveriesOf(db, id)).map((row) => row.id).toReversed()
    expect(body.content.map((row) => row.id)).toEqual(newest.slice(0, 100))
  })
})

describe('POST /webhooks/:id/test', () => {
  it('queues a test email.check.completed for this endpoint only, regardless of its subscriptions', async () => {
    const { db } = harness().stores
    const member = await createMember()
    const { id } = await create(member, { events: ['order.fraud.alert'] })
    const other = await create(member, { events: ['email.check.completed'] })
    const { status, body } = await call(member, 'POST', `/${id}/test`)
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ event_type: 'email.check.completed', status: 'pending' })
    const [row] = await deliveriesOf(db, id)
    expect(row?.id).toBe(body.content.id)
    expect(JSON.parse(row?.body ?? '')).toMatchObject({
      id: body.content['event_id'],
      type: 'email.check.completed',
      timestamp: expect.stringMatching(/Z$/) as string,
      data: { email: 'test@example.com', credits_used: 0, is_sandbox: true },
    })
    expect(await deliveriesOf(db, other.id)).toEqual([])
  })
})

describe('POST /webhooks/deliveries/:deliveryId/retry', () => {
  const set = async (id: string, status: string) =>
    await sql`update webhook_deliveries set status = ${status}, attempts = 4,
      due_at = case when ${status} in ('succeeded', 'exhausted') then null
        else now() + interval '1 day' end
      where id = ${id}`.execute(harness().stores.db)

  it.each(['failed', 'exhausted'])('OP-26: makes a %s one pending and due now', async (status) => {
    const member = await createMember()
    const { delivery_id } = await addFailedDelivery(harness().stores.db, member.org_id)
    await set(delivery_id, status)
    const answer = await call(member, 'POST', `/deliveries/${delivery_id}/retry`)
    expect(answer.status).toBe(200)
    expect(answer.body.content).toMatchObject({ id: delivery_id, status: 'pending', attempts: 4 })
    const due = Date.parse(String(answer.body.content['next_attempt_at']))
    expect(Math.abs(due - Date.now())).toBeLessThan(60_000)
  })

  it.each(['pending', 'succeeded'])('refuses a %s one', async (status) => {
    const member = await createMember()
    const { delivery_id } = await addFailedDelivery(harness().stores.db, member.org_id)
    await set(delivery_id, status)
    const answer = await call(member, 'POST', `/deliveries/${delivery_id}/retry`)
    expect(answer.status).toBe(400)
    expect(answer.body.content.field).toBe('deliveryId')
  })
})
