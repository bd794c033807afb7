/** OP-9: repeating an order with the same external_order_id changes nothing and costs nothing. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sweepOrders } from '../../src/modules/orders/index.ts'
import { useHarness } from '../harness.ts'
import { countRows } from '../support/books.ts'
import { type Body, newOrder, useOrders } from '../support/orders.ts'

const harness = useHarness()
const { order, orderText } = useOrders(harness)

const WHOLE: Body = {
  external_id: 'customer-1',
  currency: 'EUR',
  order_type: 'online',
  payment_method: 'card',
  location_latitude: 52.5,
  location_longitude: 13.4,
  location_country: 'Germany',
  fingerprint_hash: 'f',
  ip_hash: 'i',
  ordered_at: '2026-03-01T10:00:00+01:00',
  items: [
    { quantity: 2, unit_price_cents: 2000, total_price_cents: 4000, discount_type: 'none' },
    { quantity: 1, unit_price_cents: 990, total_price_cents: 990 },
  ],
}

/** Reads everything stored about an organization: rows of all tables and all states. */
async function stateOf(orgId: string) {
  const { db } = harness().stores
  const states = await db
    .selectFrom('states')
    .select(['id', 'state_text'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()
  const funds = await harness().services.billing.funds(orgId)
  return { rows: await countRows(db, orgId), states, funds }
}

/** Returns the same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, item]) => [name, reversed(item)])
  return Object.fromEntries(members.toReversed()) as unknown
}

describe('OP-9: the same external_order_id again', () => {
  it('returns the stored order byte for byte: no charge, no velocity, no event', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = newOrder(WHOLE)
    const first = await orderText(keys.live_secret, body)
    expect(JSON.parse(first)).toMatchObject({ success: true })
    const state = await stateOf(org_id)
    for (let n = 0; n < 5; n += 1) expect(await orderText(keys.live_secret, body)).toBe(first)
    expect(await stateOf(org_id)).toEqual(state)
  })

  it('returns an order with findings unchanged after other orders', async () => {
    const { keys, org_id } = await harness().createTenant()
    const burst = Array.from({ length: 12 }, () => newOrder({ external_id: 'burst' }))
    const answers: string[] = []
    for (const body of burst) answers.push(await orderText(keys.live_secret, body))
    expect(answers.at(-1)).toContain('"flagged_for_review":true')
    const state = await stateOf(org_id)
    for (const [n, body] of burst.entries()) {
      expect(await orderText(keys.live_secret, body)).toBe(answers[n])
    }
    expect(await stateOf(org_id)).toEqual(state)
  })

  it('recognizes the order regardless of the order of its members', async () => {
    const { keys } = await harness().createTenant()
    const body = newOrder(WHOLE)
    const first = await orderText(keys.live_secret, body)
    expect(JSON.stringify(reversed(body))).not.toBe(JSON.stringify(body))
    expect(await orderText(keys.live_secret, reversed(body))).toBe(first)
  })

  it('OP-37: an unknown member does not make a different order', async () => {
    const { keys } = await harness().createTenant()
    const body = newOrder(WHOLE)
    const first = await orderText(keys.live_secret, body)
    expect(await orderText(keys.live_secret, { ...body, trace: 'abc' })).toBe(first)
    const [item, ...others] = body['items'] as Body[]
    const items = [{ ...item, color: 'red' }, ...others]
    expect(await orderText(keys.live_secret, { ...body, items })).toBe(first)
  })

  it.each<[string, Body]>([
    ['another amount', { amount_cents: 4991 }],
    ['another profile', { external_id: 'customer-2' }],
    ['no profile', { external_id: undefined }],
    ['another time', { ordered_at: '2026-03-01T10:00:01+01:00' }],
    ['a member more', { ip_hash: 'i' }],
    ['a default that is written out', { currency: 'USD' }],
    ['another item', { items: [{ quantity: 3, unit_price_cents: 1, total_price_cents: 3 }] }],
  ])('with %s is a 400 that names external_order_id', async (_, change) => {
    const { keys, org_id } = await harness().createTenant()
    const body = newOrder({
      external_id: 'customer-1',
      ordered_at: '2026-03-01T10:00:00+01:00',
      items: [{ quantity: 1, unit_price_cents: 1, total_price_cents: 1 }],
    })
    const first = await order(keys.live_secret, body)
    const state = await stateOf(org_id)
    const other = await order(keys.live_secret, { ...body, ...change })
    expect(other.status).toBe(400)
    expect(other.body).toEqual({
      success: false,
      message: 'external_order_id was used before for a different order',
      code: 'invalid_request',
      content: { field: 'external_order_id' },
    })
    expect(await stateOf(org_id)).toEqual(state)
    expect((await order(keys.live_secret, body)).body).toEqual(first.body)
  })

  it('a refused order does not use up its id', async () => {
    const { keys } = await harness().createTenant()
    const body = newOrder()
    for (const bad of [{ amount_cents: 0.5 }, { ordered_at: '2016-02-30T12:00:00Z' }]) {
      expect((await order(keys.live_secret, { ...body, ...bad })).status).toBe(400)
    }
    expect((await order(keys.live_secret, body)).status).toBe(200)
  })
})

describe('OP-9: the same external_order_id at the same time', () => {
  const second = useHarness()

  it('is one order, on one node and on several', async () => {
    const { keys, org_id } = await harness().createTenant()
    const empty = await countRows(harness().stores.db, org_id)
    const body = newOrder({ external_id: 'customer-1' })
    const nodes = [harness(), second()]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => orderText(keys.live_secret, body, nodes[n % 2])),
    )
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ success: true })
    expect(new Set(answers).size).toBe(1)
    expect(await countRows(harness().stores.db, org_id)).toEqual({
      ...empty,
      orders: 1,
      profiles: 1,
      states: 2,
      usage_events: 1,
    })
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(-1)
  })

  it('accepts one of two different orders and refuses the other', async () => {
    const { keys } = await harness().createTenant()
    const nodes = [harness(), second()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        order(keys.live_secret, { external_order_id: 'two', amount_cents: n % 2 }, nodes[n % 2]),
      ),
    )
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 400)
    expect([accepted.length, refused.length]).toEqual([10, 10])
    expect(new Set(accepted.map(({ body }) => body.content.order.id)).size).toBe(1)
    for (const { body } of refused) expect(body.content).toEqual({ field: 'external_order_id' })
  })

  it('different orders of one profile are all counted, also on several nodes', async () => {
    const { keys } = await harness().createTenant()
    const nodes = [harness(), second()]
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        order(keys.live_secret, newOrder({ external_id: 'busy' }), nodes[n % 2]),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200))
    const request = { method: 'POST', path: '/v1/profiles', key: keys.live_secret } as const
    const body = { external_id: 'busy' }
    for (const node of nodes) {
      const answer = await node.call<{ profile: unknown }>({ ...request, body })
      expect(answer.body.content.profile).toMatchObject({ total_orders: 60 })
    }
  })
})

describe('OP-9 after retention', () => {
  it('the external_order_id of a deleted order can be used again', async () => {
    const { db } = harness().stores
    const { keys, org_id } = await harness().createTenant()
    const body = newOrder({ external_id: 'customer-1' })
    const first = await order(keys.live_secret, body)
    // Only rows of this organization become old enough to delete.
    await sql`update orders set created_at = '2001-01-01' where org_id = ${org_id}`.execute(db)
    while ((await sweepOrders(db, new Date('2002-01-01'))) > 0);
    const again = await order(keys.live_secret, { ...body, amount_cents: 5 })
    expect(again.status).toBe(200)
    expect(again.body.content.order.id).not.toBe(first.body.content.order.id)
  })
})
