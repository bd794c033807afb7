import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../test/harness.ts'
import { addFlaggedOrders } from '../../../test/support/flagged-orders.ts'
import { addDevice } from '../../../test/support/mdm.ts'
import { addReview } from '../../../test/support/reviews.ts'
import { addEndpoint } from '../../../test/support/webhooks.ts'
import type { Plan, Role } from '../accounts/tables.ts'
import type { Volume } from '../volume/index.ts'
import type { Overview } from './schema.ts'

const harness = useHarness()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Person = Tenant & { token: string }

async function createPerson(role: Role = 'owner', plan: Plan = 'starter'): Promise<Person> {
  const tenant = await harness().createTenant(plan)
  return { ...tenant, token: await harness().signIn(tenant.org_id, role) }
}

const get = async <Content>(
  { token, org_id }: Pick<Person, 'token' | 'org_id'>,
  path: string,
  query: Record<string, string> = {},
) =>
  await harness().call<Content & { field: string }>({
    method: 'GET',
    path: `/console/api/${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
    token,
  })
/** Without items about the whole service, because other tests send logs at the same time. */
const overview = async (person: Person, query = {}) => {
  const { content } = (await get<Overview>(person, 'overview', query)).body
  return { ...content, attention: content.attention.filter(({ kind }) => kind !== 'spool') }
}

const day = 86_400_000
const ago = (ms: number) => new Date(Date.now() - ms)

/** Creates something of every kind. */
async function addTrouble({ org_id }: Tenant): Promise<{ endpoint_id: string; app_id: string }> {
  const { db } = harness().stores
  await addReview(db, org_id, { created_at: ago(2 * day) })
  await addReview(db, org_id, { mode: 'test' })
  const url = 'https://hooks.example/<b>'
  const { id } = await addEndpoint(db, {
    org_id,
    url,
    status: 'paused',
    pause_reason: 'failing',
    paused_at: ago(day),
  })
  await addEndpoint(db, { org_id, failing_since: ago(day) })
  await addEndpoint(db, {
    org_id,
    status: 'paused',
    pause_reason: 'requested',
    paused_at: ago(day),
  })
  await addEndpoint(db, { org_id, mode: 'test', failing_since: ago(day) })
  const condition = JSON.stringify({ level: 'error' })
  await sql`
    insert into edge_alerts (org_id, id, name, condition, threshold, window_minutes, status,
      last_fired_at, evaluated_until, created_at)
    values (${org_id}, ${randomUUID()}, 'Many errors', ${condition}::jsonb, 1, 5, 'firing', now(),
      now() + interval '1 day', now())`.execute(db)
  await addDevice(db, { org_id, compliance_state: 'non_compliant' })
  const app_id = randomUUID()
  await sql`
    insert into applications (org_id, id, type, environment, name, created_at, updated_at)
    values (${org_id}, ${app_id}, 'flutter', 'live', 'Shop', now(), now())`.execute(db)
  await sql`
    insert into push_credentials (application_id, provider, org_id, version, sealed, shown, status,
      error, stored_at)
    values (${app_id}, 'fcm', ${org_id}, ${randomUUID()}, '', '{}', 'needs_attention',
      'The key was refused', now())`.execute(db)
  await harness().services.billing.grantCredits(org_id, 10, 'start', 'start')
  await harness()
    .stores.db.insertInto('usage_slots')
    .values({
      org_id,
      mode: 'live',
      slot_at: ago(day),
      meter: 'check',
      quantity: 70,
      cost_units: 700_000,
    })
    .execute()
  return { endpoint_id: id, app_id }
}

describe('GET /console/api/overview', () => {
  it('lists everything that needs attention with its link', async () => {
    const person = await createPerson()
    const { endpoint_id, app_id } = await addTrouble(person)
    const { attention, credits, has_key, has_usage } = await overview(person)
    expect(attention.map(({ kind, severity, link }) => [severity, kind, link])).toEqual([
      ['critical', 'webhooks_paused', `/webhooks/${endpoint_id}`],
      ['critical', 'push', `/push/${app_id}/setup`],
      ['critical', 'alerts', '/logs/alerts'],
      ['warning', 'webhooks_failing', expect.stringMatching(/^\/webhooks\/[-0-9a-f]{36}$/)],
      ['warning', 'reviews', '/reviews'],
      ['warning', 'devices', '/devices/fleet?compliance=non_compliant'],
      ['notice', 'credits', '/developers/usage'],
    ])
    expect(attention[0]?.detail).toBe('https://hooks.example/<b>')
    expect(credits).toEqual({
      available_credits: 10,
      spent_per_day: 10,
      days_left: 1,
      low_balance_credits: null,
    })
    expect({ has_key, has_usage }).toEqual({ has_key: true, has_usage: true })
  })

  it('has the figures of the organization, and counts for the menu', async () => {
    const person = await createPerson('owner', 'business')
    await addTrouble(person)
    const { figures, steps, fortnight, other_mode_has_usage } = await overview(person, {
      time_zone: 'Asia/Tokyo',
    })
    expect(figures).toMatchObject({
      alerts: { firing: 1 },
      managed_devices: { devices: 1, non_compliant: 1 },
      edge_devices: null,
      deliveries: { succeeded: 0, finished: 0 },
    })
    expect(figures.cost?.forecast_credits).toBeGreaterThan(0)
    expect(steps.toSorted()).toEqual(['check', 'device', 'push', 'webhook'])
    expect(fortnight.meters).toMatchObject([{ meter: 'check' }])
    expect(other_mode_has_usage).toBe(false)
    const badges = await get(person, 'badges')
    expect(badges.body.content).toEqual({ cases: 1, alerts: 1, endpoints: 2 })
    const test = await get(person, 'badges', { mode: 'test' })
    expect(test.body.content).toEqual({ cases: 1, alerts: 0, endpoints: 1 })
    const wrong = await get(person, 'overview', { time_zone: 'Moon/Crater' })
    expect(wrong).toMatchObject({ status: 400, body: { content: { field: 'time_zone' } } })
  })

  it('counts money at risk, what was caught, and the precision', async () => {
    const { org_id, keys } = await harness().createTenant()
    const person = { org_id, token: await harness().signIn(org_id, 'member') }
    const [first = '', second = '', third = ''] = await addFlaggedOrders(
      harness(),
      keys.live_secret,
      ['one', 'two', 'three'],
    )
    const decide = async (id: string, decision: string) => {
      const path = `/console/api/reviews/${id}/decision`
      const answer = await harness().post(path, { org_id, decision }, { token: person.token })
      expect(answer.status).toBe(200)
    }
    await decide(first, 'legitimate')
    await decide(first, 'confirmed_fraud')
    await decide(second, 'legitimate')
    const { fraud, cost } = (await get<Overview>(person, 'overview')).body.content.figures
    expect(cost).toBeNull()
    expect(fraud).toMatchObject({
      decided: 2,
      frauds: 1,
      caught: [{ currency: 'USD', amount_cents: 4990 }],
      is_complete: true,
    })
    expect(fraud.open_cases).toBeGreaterThan(0)
    expect(fraud.oldest_at).not.toBeNull()
    const before = fraud.at_risk[0]?.amount_cents ?? 0
    await decide(third, 'legitimate')
    const after = (await get<Overview>(person, 'overview')).body.content.figures.fraud
    expect(after.at_risk[0]?.amount_cents ?? 0).toBeLessThan(before)
  })

  it('hides credits from members and webhooks from plans without them', async () => {
    const person = await createPerson('member', 'free')
    await addTrouble(person)
    const { attention, credits } = await overview(person)
    expect(credits).toBeNull()
    expect(attention.map(({ kind }) => kind)).toEqual(['push', 'alerts', 'reviews', 'devices'])
  })

  it('keeps the modes apart', async () => {
    const person = await createPerson()
    await addTrouble(person)
    const { attention, credits } = await overview(person, { mode: 'test' })
    expect(attention.map(({ kind }) => kind)).toEqual(['webhooks_failing', 'reviews'])
    expect(credits).toBeNull()
  })

  it('shows whether a key exists and was used', async () => {
    const person = await createPerson()
    const fresh = { attention: [], has_key: true, has_usage: false }
    expect(await overview(person, { mode: 'test' })).toMatchObject(fresh)
    const { status } = await harness().call({
      method: 'POST',
      path: '/v1/check',
      key: person.keys.test_secret,
      body: { email: 'clean@example.com' },
    })
    expect(status).toBe(200)
    expect(await overview(person, { mode: 'test' })).toMatchObject({ has_usage: true })
    expect(await overview(person)).toMatchObject({ has_usage: false })
  })

  it('is hidden from users who are not members', async () => {
    const [person, other] = [await createPerson(), await createPerson()]
    const span = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', step: 'hour' }
    for (const org_id of [other.org_id, NO_ONE, 'x']) {
      const stranger = { token: person.token, org_id }
      const answers = [await get(stranger, 'overview'), await get(stranger, 'volume', span)]
      expect(answers.map(({ status }) => status)).toEqual([404, 404])
    }
  })
})

describe('GET /console/api/volume', () => {
  it('returns usage per step', async () => {
    const person = await createPerson('member')
    const { org_id } = person
    await harness()
      .stores.db.insertInto('usage_slots')
      .values({
        org_id,
        mode: 'live',
        slot_at: new Date('2026-03-01T05:00:00Z'),
        meter: 'order',
        quantity: 7,
        cost_units: 70_000,
      })
      .execute()
    const span = { from: '2026-03-01T04:00:00Z', to: '2026-03-01T07:00:00Z', step: 'hour' }
    const { body } = await get<Volume>(person, 'volume', span)
    expect(body.content).toMatchObject({
      starts: ['2026-03-01T04:00:00.000Z', '2026-03-01T05:00:00.000Z', '2026-03-01T06:00:00.000Z'],
      meters: [{ meter: 'order', quantity: [0, 7, 0], total_quantity: 7 }],
    })
    const test = await get<Volume>(person, 'volume', { ...span, mode: 'test' })
    expect(test.body.content.meters).toEqual([])
  })

  it.each([
    ['step', { step: 'minute' }],
    ['from', { from: 'yesterday' }],
    ['from', { from: '2020-01-01T00:00:00Z' }],
    ['to', { to: '2026-03-01T00:00:00Z' }],
    ['mode', { mode: 'all' }],
  ])('names the invalid field %s', async (field, given) => {
    const span = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', step: 'hour' }
    const answer = await get(await createPerson(), 'volume', { ...span, ...given })
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })
})
