import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { type Body, newOrder, useOrders } from '../../../../test/support/orders.ts'
import { ANN, travelerOrders } from '../../../../test/support/traveler.ts'
import type { OrderDetails, OrderPage, ProfileDetails, ProfilePage } from './schema.ts'

const harness = useHarness()
const { order, profile, risks } = useOrders(harness)
const ORDERS = '/console/api/orders'
const PROFILES = '/console/api/profiles'
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Member = { org_id: string; token: string; key: string; user_id: string }

async function createMember(): Promise<Member> {
  const { org_id, keys } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  const [member] = await harness().services.accounts.listMembers(org_id)
  return { org_id, token, key: keys.test_secret, user_id: member?.user_id ?? '' }
}

async function get<Content = OrderPage>(
  { org_id, token }: Member,
  path = ORDERS,
  query: Record<string, string> = {},
) {
  const text = new URLSearchParams({ org_id, mode: 'test', ...query }).toString()
  const request = { method: 'GET', path: `${path}?${text}`, token } as const
  return await harness().call<Content & { field: string }>(request)
}

async function listed(member: Member, query: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await get(member, ORDERS, query)
  expect(status).toBe(200)
  return body.content.orders.map(({ external_order_id }) => external_order_id)
}

async function submit({ key }: Member, body: Body): Promise<string> {
  const answer = await order(key, body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.content.order.id
}

const detailsOf = async (member: Member, id: string): Promise<OrderDetails> =>
  (await get<OrderDetails>(member, `${ORDERS}/${id}`)).body.content

async function decide({ token, org_id }: Member, id: string, decision: string): Promise<void> {
  const body = { org_id, decision, note: 'called the customer' }
  const path = `/console/api/reviews/${id}/decision`
  expect(await harness().call({ method: 'POST', path, token, body })).toMatchObject({ status: 200 })
}

async function travel(member: Member): Promise<string> {
  const { past, far } = travelerOrders(new Date())
  await risks(member.key, past)
  return await submit(member, far)
}

describe('GET /console/api/orders', () => {
  it('shows one mode, newest first, page by page', async () => {
    const member = await createMember()
    const names = ['one', 'two', 'three']
    for (const external_order_id of names) await submit(member, newOrder({ external_order_id }))
    const first = (await get(member, ORDERS, { limit: '2' })).body.content
    expect(first).toMatchObject({
      orders: [
        { external_order_id: 'three', decision: null, is_waiting: false, risk_level: 'low' },
        { external_order_id: 'two', amount_cents: 4990, currency: 'USD', flags: [] },
      ],
      examined_until: null,
    })
    const cursor = first.next_cursor ?? ''
    expect(await listed(member, { limit: '2', cursor })).toEqual(['one'])
    expect(await listed(member, { mode: 'live' })).toEqual([])
  })

  it('finds by order, profile, score, flag, decision and time', async () => {
    const member = await createMember()
    const id = await travel(member)
    await submit(member, newOrder({ external_order_id: "o'1", external_id: 'bob' }))
    expect(await listed(member, { order: 'far away' })).toEqual(['far away'])
    expect(await listed(member, { order: id })).toEqual(['far away'])
    expect(await listed(member, { order: "o'1" })).toEqual(["o'1"])
    expect(await listed(member, { order: 'none' })).toEqual([])
    expect(await listed(member, { external_id: 'bob' })).toEqual(["o'1"])
    expect((await listed(member, { external_id: 'ann' })).length).toBe(41)
    expect(await listed(member, { external_id: 'ann', min_score: '50' })).toEqual(['far away'])
    expect(await listed(member, { flag: 'location_anomaly' })).toEqual(['far away'])
    expect(await listed(member, { flag: 'time_anomaly' })).toEqual([])
    expect(await listed(member, { decision: 'waiting' })).toEqual(['far away'])
    await decide(member, id, 'confirmed_fraud')
    expect(await listed(member, { decision: 'waiting' })).toEqual([])
    expect(await listed(member, { decision: 'confirmed_fraud' })).toEqual(['far away'])
    expect(await listed(member, { decision: 'legitimate' })).toEqual([])
    expect(await listed(member, { decision: 'none', limit: '1' })).toEqual(["o'1"])
    expect(await listed(member, { to: '2020-01-01' })).toEqual([])
    expect((await listed(member, { from: '2020-01-01', order: '' })).length).toBe(42)
  })

  it.each([
    ['from', { from: 'yesterday' }],
    ['cursor', { cursor: 'x' }],
    ['flag', { flag: 'none' }],
    ['decision', { decision: 'maybe' }],
    ['order', { order: '\0' }],
    ['external_id', { external_id: 'a\0' }],
    ['mode', { mode: 'all' }],
  ])('refuses a bad %s: %j', async (field, query) => {
    const member = await createMember()
    const { status, body } = await get(member, ORDERS, query)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })

  it('is hidden from users who are not members', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const id = await submit(member, newOrder(ANN))
    const { profile_id } = (await detailsOf(member, id)).order
    const { org_id } = member
    for (const path of [ORDERS, `${ORDERS}/${id}`, PROFILES, `${PROFILES}/${profile_id}`]) {
      expect((await get(member, path)).status).toBe(200)
      expect((await get(other, path, { org_id })).status).toBe(404)
    }
    expect((await get(other, `${ORDERS}/${id}`)).status).toBe(404)
    expect((await get(other, `${PROFILES}/${profile_id}`)).status).toBe(404)
    for (const path of [`${ORDERS}/${NO_ONE}`, `${ORDERS}/x`, `${PROFILES}/x`]) {
      expect((await get(member, path)).status).toBe(404)
    }
  })
})

describe('GET /console/api/orders/:id', () => {
  it('explains the score in sentences, by signals whose points add up', async () => {
    const member = await createMember()
    const details = await detailsOf(member, await travel(member))
    const { signals, order: found } = details
    expect(signals.reduce((sum, { points }) => sum + points, 0)).toBe(found.risk_score)
    expect(signals.length).toBe(6)
    expect(signals.find(({ signal }) => signal === 'location_anomaly')).toMatchObject({
      finding: 'impossible_travel',
      flag: 'location_anomaly',
      sentence: expect.stringContaining('km from the previous place') as string,
    })
    expect(found).toMatchObject({ flagged_for_review: true, seq: 41, country: 'JP', mode: 'test' })
    expect(details.reviews).toContainEqual(expect.objectContaining({ subject: 'order' }))
  })

  it('shows the order as sent, its profile, and the profile’s earlier orders', async () => {
    const member = await createMember()
    const { sent, profile: head, behavior, before } = await detailsOf(member, await travel(member))
    expect(sent.items).toEqual([
      { quantity: 2, unit_price_cents: 45_000, total_price_cents: 90_000 },
    ])
    expect(head).toMatchObject({ external_id: 'ann', total_orders: 41, mode: 'test' })
    expect(before.length).toBe(40)
    expect(before[0]).toMatchObject({ latitude: 52.52, longitude: 13.4, external_id: 'ann' })
    const [band] = behavior?.amounts ?? []
    expect(band?.currency).toBe('EUR')
    expect(band?.from_cents).toBeGreaterThan(1000)
    expect(band?.to_cents).toBeLessThan(20_000)
    expect(behavior?.hours.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
    // An order that is held back has not taught anything yet.
    const devices = behavior?.devices.known.map((one) => one.fingerprint_hash)
    expect(devices).toEqual(['phone-of-ann'])
    const [home] = behavior?.places.areas ?? []
    expect(home?.latitude).toBeCloseTo(52.52, 0)
    expect(home?.longitude).toBeCloseTo(13.4, 0)
  })

  it('shows who decided what, and links the check of the device', async () => {
    const member = await createMember()
    const device = { fingerprint_hash: 'farm' }
    const body = { email: 'a@b.example', phone: '+12025550143', device }
    for (const email of ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@gmail.com`)) {
      await harness().call({
        method: 'POST',
        path: '/v1/check',
        key: member.key,
        body: { ...body, email },
      })
    }
    const id = await submit(member, newOrder({ ...ANN, fingerprint_hash: 'farm' }))
    await decide(member, id, 'legitimate')
    await decide(member, id, 'confirmed_fraud')
    const { decisions, device: seen, order: found } = await detailsOf(member, id)
    expect(found.decision).toBe('confirmed_fraud')
    expect(decisions).toMatchObject([
      { decision: 'legitimate', decided_by: member.user_id, note: 'called the customer' },
      { decision: 'confirmed_fraud', decided_by_email: expect.stringContaining('@') as string },
    ])
    expect(seen).toMatchObject({ fingerprint_hash: 'farm', profiles: 1 })
    const path = `/v1/check/${seen?.check?.id}`
    const check = await harness().call({ method: 'GET', path, key: member.key })
    expect(check.body.content.risk_score).toBe(seen?.check?.risk_score)
  })

  it('lists the cashier actions on it', async () => {
    const member = await createMember()
    const id = await submit(member, newOrder({ external_order_id: 'sold', amount_cents: 5000 }))
    const body = {
      cashier_external_id: 'cashier-7',
      action_type: 'refund',
      order_external_id: 'sold',
      amount_cents: 5000,
      reason: 'Wrong item',
    }
    const path = '/v1/cashier/actions'
    const answer = await harness().call({ method: 'POST', path, key: member.key, body })
    expect(answer.status).toBe(200)
    expect((await detailsOf(member, id)).actions).toMatchObject([
      {
        action_type: 'refund',
        cashier_external_id: 'cashier-7',
        amount_cents: 5000,
        reason: 'Wrong item',
        risk_level: 'low',
      },
    ])
  })

  it('works for an order with the required fields only', async () => {
    const member = await createMember()
    const id = await submit(member, { external_order_id: 'bare', amount_cents: 0 })
    expect(await detailsOf(member, id)).toMatchObject({
      order: { external_id: null, profile_id: null, latitude: null },
      profile: null,
      behavior: null,
      device: null,
      before: [],
      actions: [],
    })
  })
})

describe('profiles', () => {
  it('are listed by name from a given one, page by page', async () => {
    const member = await createMember()
    for (const external_id of ['carl', 'ann', 'bob']) await profile(member.key, { external_id })
    const page = async (query: Record<string, string>) =>
      (await get<ProfilePage>(member, PROFILES, query)).body.content
    const names = ({ profiles }: ProfilePage) => profiles.map(({ external_id }) => external_id)
    expect(names(await page({}))).toEqual(['ann', 'bob', 'carl'])
    expect(names(await page({ from: 'b' }))).toEqual(['bob', 'carl'])
    const first = await page({ limit: '2' })
    expect(names(first)).toEqual(['ann', 'bob'])
    expect(names(await page({ limit: '2', cursor: first.next_cursor ?? '' }))).toEqual(['carl'])
    expect(names(await page({ mode: 'live' }))).toEqual([])
  })

  it('show their behavior, the parts of their risk, and their orders', async () => {
    const member = await createMember()
    const { order: found } = await detailsOf(member, await travel(member))
    const path = `${PROFILES}/${found.profile_id}`
    const { body } = await get<ProfileDetails>(member, path)
    const { profile: head, risk, recent, behavior } = body.content
    expect(head).toMatchObject({ external_id: 'ann', total_orders: 41, device_count: 1 })
    expect(risk[0]).toMatchObject({ score: found.risk_score, source: 'order' })
    expect(recent.length).toBe(41)
    expect(recent[0]?.external_order_id).toBe('far away')
    expect(behavior.payments.methods[0]?.method).toBe('card')
    expect(behavior.velocity.week).toBeGreaterThan(1)
  })
})
