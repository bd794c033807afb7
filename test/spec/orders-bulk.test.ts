/** OP-2: many orders in one request, scored in sequence, each with its own result. */
import { describe, expect, it } from 'vitest'
import { findWholeOrders } from '../../src/modules/orders/store.ts'
import { type Harness, useHarness } from '../harness.ts'
import { invalid } from '../support/answers.ts'
import { countRows, usageOf } from '../support/books.ts'
import { type Body, newOrder, useOrders } from '../support/orders.ts'

const harness = useHarness()
const { order, bulk } = useOrders(harness)

const newOrders = (count: number, given: Body = {}) =>
  Array.from({ length: count }, () => newOrder(given))

describe('OP-2: POST /orders/bulk', () => {
  it('returns the results of a hundred orders in request order, like POST /orders', async () => {
    const { keys, org_id } = await harness().createTenant()
    const orders = newOrders(100)
    const { status, body } = await bulk(keys.live_secret, orders)
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, message: 'Orders scored' })
    expect(Object.keys(body)).toEqual(['success', 'message', 'content'])
    expect(body.content.map(({ content }) => content.order.external_order_id)).toEqual(
      orders.map(({ external_order_id }) => external_order_id),
    )
    for (const n of [0, 50, 99]) {
      expect((await order(keys.live_secret, orders[n])).body).toEqual(body.content[n])
    }
    const usage = await usageOf(harness().stores.db, org_id)
    expect(usage.map(({ source_id }) => source_id).toSorted()).toEqual(
      body.content.map(({ content }) => content.order.id).toSorted(),
    )
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(-100)
  })

  it('accepts a single order', async () => {
    const { keys } = await harness().createTenant()
    const { status, body } = await bulk(keys.test_secret, newOrders(1))
    expect([status, body.content.length]).toEqual([200, 1])
  })

  it('an element with a repeated member does not fail the others', async () => {
    const { keys } = await harness().createTenant()
    const good = newOrders(2).map((one) => JSON.stringify(one))
    const payload = `{"orders":[${good[0]},{"amount_cents":1,"amount_cents":2},${good[1]}]}`
    const headers = { 'x-api-key': keys.test_secret, 'content-type': 'application/json' }
    const sent = { method: 'POST', url: '/v1/orders/bulk', headers, payload } as const
    const answer = await harness().app.inject(sent)
    expect(answer.statusCode).toBe(200)
    const { content } = answer.json<{ content: { success: boolean }[] }>()
    expect(content.map(({ success }) => success)).toEqual([true, false, true])
    expect(content[1]).toEqual(invalid('amount_cents'))
  })

  it('scores them in request order', async () => {
    const { keys, org_id } = await harness().createTenant()
    const orders = newOrders(30, { external_id: 'burst' })
    const { body } = await bulk(keys.live_secret, orders)
    const velocities = body.content.map(({ content }) => content.risk.signals.velocity)
    expect(velocities).toEqual(velocities.toSorted((a, b) => a - b))
    expect(velocities.at(-1)).toBeGreaterThan(velocities[0] ?? 0)
    expect(await sequence(harness(), org_id, orders)).toEqual(orders.map((_, n) => n + 1))
  })

  it('an invalid element does not fail the others', async () => {
    const { keys, org_id } = await harness().createTenant()
    const [first = {}, last = {}] = newOrders(2)
    const { status, body } = await bulk(keys.live_secret, [
      first,
      {},
      newOrder({ amount_cents: '1' }),
      'text',
      null,
      [],
      7,
      newOrder({ ordered_at: '2016-02-30T23:59:59Z' }),
      newOrder({ items: [{ quantity: 1, unit_price_cents: 1 }] }),
      newOrder({ external_id: 'x'.repeat(513) }),
      { ...first, amount_cents: 5 },
      last,
    ])
    expect(status).toBe(200)
    const good = expect.objectContaining({ success: true, message: 'Order scored' }) as unknown
    expect(body.content).toEqual([
      good,
      invalid('external_order_id'),
      invalid('amount_cents'),
      invalid('body'),
      invalid('body'),
      invalid('body'),
      invalid('body'),
      invalid('ordered_at'),
      invalid('items.0.total_price_cents'),
      invalid('external_id'),
      invalid('external_order_id'),
      good,
    ])
    const rows = await countRows(harness().stores.db, org_id)
    expect(rows['orders']).toBe(2)
    expect(await usageOf(harness().stores.db, org_id)).toHaveLength(2)
  })

  it('a repeated order counts once, and a different one with its id is refused', async () => {
    const { keys, org_id } = await harness().createTenant()
    const same = newOrder({ external_id: 'customer-1' })
    const other = { ...same, amount_cents: 1 }
    const { body } = await bulk(keys.live_secret, [same, same, other, same])
    const [first, second, third, fourth] = body.content
    expect(first).toMatchObject({ success: true })
    expect([second, fourth]).toEqual([first, first])
    expect(third).toEqual(invalid('external_order_id'))
    const rows = await countRows(harness().stores.db, org_id)
    expect(rows).toMatchObject({ orders: 1, usage_events: 1 })
  })

  it.each([
    ['more than 100', newOrders(101)],
    ['none', []],
    ['no list', { 0: newOrder() }],
    ['nothing', null],
    ['missing', undefined],
  ])('%s is a 400 for the whole request, and nothing is stored', async (_, orders) => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const { status, body } = await bulk(keys.live_secret, orders)
    expect(status).toBe(400)
    expect(body).toEqual(invalid('orders'))
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })

  it('accepts a hundred orders with 500 items each', async () => {
    const { keys, org_id } = await harness().createTenant()
    const item = {
      external_item_id: 'item-4711-large-blue',
      item_category: 'clothing',
      quantity: 1,
      unit_price_cents: 10,
      total_price_cents: 10,
      discount_cents: 0,
      discount_type: 'none',
    }
    const items = Array.from({ length: 500 }, () => item)
    const { status, body } = await bulk(
      keys.test_secret,
      newOrders(100, { items, amount_cents: 5000 }),
    )
    expect(status).toBe(200)
    expect(body.content.filter(({ success }) => success)).toHaveLength(100)
    expect((await countRows(harness().stores.db, org_id))['orders']).toBe(100)
  })
})

describe('OP-2 when credits are required', () => {
  const strict = useHarness({ settings: { VIGIL_CREDITS_REQUIRED: 'true' } })

  it('refuses orders individually and repeats results of orders that were paid for', async () => {
    const { keys, org_id } = await strict().createTenant()
    await strict().services.billing.grantCredits(org_id, 1, 'start', 'start')
    const paid = newOrder()
    const first = await order(keys.live_secret, paid, strict())
    const { status, body } = await bulk(keys.live_secret, [newOrder(), paid, newOrder()], strict())
    expect(status).toBe(200)
    const refused = { success: false, message: 'The credits of this organization are used up' }
    expect(body.content).toEqual([refused, first.body, refused])
    expect(await countRows(strict().stores.db, org_id)).toMatchObject({ orders: 1 })
  })

  it('still scores them in request order', async () => {
    const { keys, org_id } = await strict().createTenant()
    await strict().services.billing.grantCredits(org_id, 1000, 'start', 'start')
    const orders = newOrders(100)
    await bulk(keys.live_secret, orders, strict())
    expect(await sequence(strict(), org_id, orders)).toEqual(orders.map((_, n) => n + 1))
  })
})

/** Returns the sequence numbers of the orders. */
async function sequence(on: Harness, orgId: string, orders: readonly Body[]): Promise<unknown[]> {
  const found = orders.map(async ({ external_order_id }) => {
    const name = String(external_order_id)
    const [stored] = await findWholeOrders(on.stores.db, { name }, { org_id: orgId })
    return stored?.seq
  })
  return await Promise.all(found)
}
