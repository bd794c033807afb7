/** Specification, "Order": what is taken and refused, what is answered, what it costs. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNITS_PER_CREDIT } from '../../src/modules/billing/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/index.ts'
import { FLAG_OF, ORDER_SIGNALS } from '../../src/modules/orders/scoring/signals.ts'
import { findWholeOrders } from '../../src/modules/orders/store.ts'
import { type Harness, openHarness, useHarness } from '../harness.ts'
import { countRows, usageOf } from '../support/books.ts'
import {
  type Body,
  newOrder,
  pastOrders,
  type SettableClock,
  settableClock,
  useOrders,
} from '../support/orders.ts'

const START = new Date('2026-03-02T12:00:00Z')

const clock: SettableClock = settableClock(START)
const harness = useHarness({ clock })
const { order, bulk, profile, risks } = useOrders(harness)

const liveKey = async () => (await harness().createTenant()).keys.live_secret
const ITEM = { quantity: 1, unit_price_cents: 4990, total_price_cents: 4990 }
const items = (count: number) => Array.from({ length: count }, () => ITEM)

describe('POST /orders', () => {
  it('OP-10, OP-53: answers the order and its risk, and nothing else', async () => {
    const body = newOrder()
    const answer = await order(await liveKey(), body)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      message: 'Order scored',
      content: {
        order: {
          id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
          external_order_id: body['external_order_id'],
          status: 'pending',
          ordered_at: START.toISOString(),
        },
        risk: {
          risk_score: 0,
          risk_level: 'low',
          signals: {
            velocity: 0,
            amount_anomaly: 0,
            location_anomaly: 0,
            device_anomaly: 0,
            time_anomaly: 0,
            pattern: 0,
          },
          flags: [],
          flagged_for_review: false,
        },
      },
    })
  })

  it('takes everything that the specification lists', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = newOrder({
      external_id: 'customer-1',
      currency: 'EUR',
      order_type: 'in_store',
      payment_method: 'card',
      item_count: 2,
      location_latitude: 48.2,
      location_longitude: 16.37,
      location_country: 'Austria',
      location_city: 'Wien',
      location_name: 'Store 7',
      fingerprint_hash: 'f',
      ip_hash: 'i',
      edge_device_id: 'till-1',
      cashier_external_id: 'cashier-1',
      ordered_at: '2026-03-01T10:00:00Z',
      items: [
        { ...ITEM, external_item_id: 'sku', item_category: 'shoes' },
        { ...ITEM, discount_cents: 100, discount_type: 'employee' },
      ],
    })
    expect((await order(keys.live_secret, body)).status).toBe(200)
    const name = String(body['external_order_id'])
    const [stored] = await findWholeOrders(harness().stores.db, { name }, { org_id })
    expect(stored?.request).toEqual(body)
  })

  it('has level, flags and score that agree, and integers from 0 to 100', async () => {
    const key = await liveKey()
    const methods = ['card', 'cash', 'mobile', 'crypto', 'other']
    const orders = Array.from({ length: 40 }, (_, n) =>
      newOrder({
        external_id: `customer-${n % 3}`,
        amount_cents: n % 7 === 0 ? 900_000 : 5000,
        payment_method: methods[n % 5],
        fingerprint_hash: `device-${n % 11}`,
        location_latitude: n % 9 === 0 ? 52 : -33,
        location_longitude: n % 9 === 0 ? 13 : 151,
      }),
    )
    const seen = new Set<string>()
    for (const risk of await risks(key, [...pastOrders(40, START), ...orders])) {
      const { risk_score, risk_level, signals, flags, flagged_for_review } = risk
      for (const strength of [risk_score, ...Object.values(signals)]) {
        expect(Number.isInteger(strength) && strength >= 0 && strength <= 100).toBe(true)
      }
      expect(risk_level).toBe(levelOf(risk_score))
      expect(flagged_for_review).toBe(risk_score >= 50)
      const { flag_scores } = DEFAULT_ORDER_PARAMETERS
      const due = ORDER_SIGNALS.filter((signal) => signals[signal] >= flag_scores[signal])
      expect(flags).toEqual(due.map((signal) => FLAG_OF[signal]))
      for (const word of [risk_level, ...flags]) seen.add(word)
    }
    expect(seen.size).toBeGreaterThan(6)
  })
})

/** Specification, "Risk scale". */
function levelOf(score: number): string {
  if (score < 25) return 'low'
  if (score < 50) return 'medium'
  return score < 70 ? 'high' : 'critical'
}

describe('OP-48: a field at its limit is taken', () => {
  it.each<[string, unknown]>([
    ['external_order_id', 'x'.repeat(512)],
    ['external_order_id', '\u{1f642}'.repeat(512)],
    ['external_id', 'x'.repeat(512)],
    ['amount_cents', 0],
    ['amount_cents', Number.MAX_SAFE_INTEGER],
    ['currency', 'JPY'],
    ...['online', 'in_store', 'phone', 'other'].map((type): [string, unknown] => [
      'order_type',
      type,
    ]),
    ...['card', 'cash', 'mobile', 'crypto', 'other'].map((m): [string, unknown] => [
      'payment_method',
      m,
    ]),
    ['item_count', 0],
    ['location_latitude', -90],
    ['location_latitude', 90],
    ['location_longitude', -180],
    ['location_longitude', 180],
    ['location_country', 'Atlantis'],
    ['location_city', 'c'.repeat(1024)],
    ['location_name', 'n'.repeat(1024)],
    ['fingerprint_hash', 'f'.repeat(1024)],
    ['ip_hash', 'i'.repeat(1024)],
    ['edge_device_id', 'e'.repeat(1024)],
    ['cashier_external_id', 'x'.repeat(512)],
    ['items', []],
    ['items', items(500)],
    ['items', [{ ...ITEM, total_price_cents: 0, unit_price_cents: 0, discount_cents: 0 }]],
    ...['none', 'percentage', 'fixed', 'override', 'employee'].map(
      (discount_type): [string, unknown] => ['items', [{ ...ITEM, discount_type }]],
    ),
  ])('%s', async (name, value) => {
    const { status } = await order(await liveKey(), newOrder({ [name]: value }))
    expect(status).toBe(200)
  })
})

describe('OP-48: a bad field is refused by its name', () => {
  it.each<[string, unknown]>([
    ['external_order_id', undefined],
    ['external_order_id', ''],
    ['external_order_id', 'x'.repeat(513)],
    ['external_order_id', 5],
    ['external_id', ''],
    ['external_id', 'x'.repeat(513)],
    ['external_id', null],
    ['amount_cents', undefined],
    ['amount_cents', -1],
    ['amount_cents', 49.9],
    ['amount_cents', '4990'],
    ['amount_cents', Number.MAX_SAFE_INTEGER + 1],
    ['currency', 'EURO'],
    ['currency', 'eur'],
    ['currency', '€'],
    ['order_type', 'instore'],
    ['payment_method', 'Card'],
    ['item_count', -1],
    ['item_count', 1.5],
    ['location_latitude', 90.000_1],
    ['location_latitude', -90.000_1],
    ['location_latitude', '48.2'],
    ['location_longitude', 180.000_1],
    ['location_longitude', -180.000_1],
    ['location_country', ''],
    ['location_city', 'c'.repeat(1025)],
    ['location_name', 'n'.repeat(1025)],
    ['fingerprint_hash', 'f'.repeat(1025)],
    ['ip_hash', ''],
    ['edge_device_id', 'e'.repeat(1025)],
    ['cashier_external_id', 'x'.repeat(513)],
    ['ordered_at', '2026-03-01'],
    ['ordered_at', '2026-03-01T10:00:00'],
    ['ordered_at', '2026-02-30T10:00:00Z'],
    ['ordered_at', '2026-03-01T24:00:01Z'],
    ['ordered_at', '2016-12-31T23:59:60Z'],
    ['ordered_at', '0000-01-01T00:00:00+23:59'],
    ['ordered_at', '9999-12-31T23:59:59-23:59'],
    ['ordered_at', 1_772_359_200],
    ['ordered_at', ''],
    ['items', items(501)],
    ['items', {}],
  ])('%s', async (field, value) => {
    await expectRefused(newOrder({ [field]: value }), field)
  })

  it.each<[string, unknown]>([
    ['quantity', undefined],
    ['quantity', 0],
    ['quantity', 1.5],
    ['unit_price_cents', undefined],
    ['unit_price_cents', -1],
    ['total_price_cents', undefined],
    ['total_price_cents', '1'],
    ['discount_cents', -1],
    ['discount_type', 'gift'],
    ['external_item_id', ''],
    ['item_category', 'x'.repeat(1025)],
  ])('%s of an item', async (field, value) => {
    const bad = { ...ITEM, [field]: value }
    await expectRefused(newOrder({ items: [ITEM, bad] }), `items.1.${field}`)
  })

  async function expectRefused(body: Body, field: string): Promise<void> {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const answer = await order(keys.live_secret, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      success: false,
      message: expect.stringMatching(/\w/) as string,
      code: 'invalid_request',
      content: { field },
    })
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  }
})

describe('OP-49: ordered_at', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.123456Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00+05:30', '2026-03-01T04:30:00.000Z'],
    ['2026-03-01t10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['1999-12-31T23:59:59-08:00', '2000-01-01T07:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s is answered in UTC, also from the store', async (ordered_at, answered) => {
    const key = await liveKey()
    const body = newOrder({ ordered_at })
    for (let n = 0; n < 2; n += 1) {
      const answer = await order(key, body)
      expect(answer.body.content.order.ordered_at).toBe(answered)
    }
  })

  it('that lies in the future, the far past or out of order spoils nothing', async () => {
    const key = await liveKey()
    const times = ['2999-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z']
    for (const ordered_at of times) {
      const here = { location_latitude: 52.5, location_longitude: 13.4, fingerprint_hash: 'f' }
      await order(key, newOrder({ external_id: 'traveller', ip_hash: 'i', ordered_at, ...here }))
    }
    const [now] = await risks(key, [
      newOrder({ external_id: 'traveller', fingerprint_hash: 'f', ip_hash: 'i' }),
    ])
    expect(now?.risk_score).toBeLessThan(25)
  })

  it('of one who came late is judged like that of one who came in time', async () => {
    const [inOrder, shuffled] = [await liveKey(), await liveKey()]
    const past = pastOrders(40, START, { external_id: 'customer-1' })
    const late = past.map((body, n) => ({ ...body, external_order_id: `late-${n}` })).toReversed()
    await bulk(inOrder, past)
    await bulk(shuffled, late)
    const outlier = { external_id: 'customer-1', amount_cents: 900_000 }
    const [a] = await risks(inOrder, [newOrder(outlier)])
    const [b] = await risks(shuffled, [newOrder(outlier)])
    expect(a?.flags).toContain('amount_anomaly')
    expect(b?.flags).toEqual(a?.flags)
    expect(Math.abs((a?.risk_score ?? 0) - (b?.risk_score ?? 0))).toBeLessThanOrEqual(5)
  })
})

describe('what an order names', () => {
  it('OP-48: is a place only with both coordinates', async () => {
    const key = await liveKey()
    const who = { external_id: 'customer-1' }
    await order(key, newOrder({ ...who, location_latitude: 52.5, location_longitude: 13.4 }))
    for (const half of [{ location_latitude: -40 }, { location_longitude: -170 }]) {
      const [risk] = await risks(key, [newOrder({ ...who, ...half })])
      expect(risk?.signals.location_anomaly).toBe(0)
    }
  })

  it('OP-51: is a customer from then on, who ordered once, unless it was known before', async () => {
    const key = await liveKey()
    await profile(key, { external_id: 'staff', profile_type: 'employee' })
    for (const external_id of ['staff', 'stranger']) await order(key, newOrder({ external_id }))
    const types = []
    for (const external_id of ['staff', 'stranger']) {
      const { body } = await profile(key, { external_id })
      const { profile_type, total_orders } = body.content.profile
      types.push([body.content.is_new, profile_type, total_orders])
    }
    expect(types).toEqual([
      [false, 'employee', 1],
      [false, 'customer', 1],
    ])
  })

  it('OP-51: as cashier, device or terminal makes no profile', async () => {
    const { keys, org_id } = await harness().createTenant()
    const named = { cashier_external_id: 'c', fingerprint_hash: 'f', edge_device_id: 'e' }
    expect((await order(keys.live_secret, newOrder(named))).status).toBe(200)
    expect((await countRows(harness().stores.db, org_id))['profiles']).toBe(0)
    const { body } = await profile(keys.live_secret, { external_id: 'c' })
    expect(body.content.is_new).toBe(true)
  })
})

describe('live and test, and other organisations', () => {
  const far = { location_latitude: 35.68, location_longitude: 139.69 }
  const near = { location_latitude: 52.52, location_longitude: 13.4 }
  const who = { external_id: 'customer-1', fingerprint_hash: 'f', ip_hash: 'i' }

  it('know nothing of each other', async () => {
    const [one, two] = [await harness().createTenant(), await harness().createTenant()]
    for (let n = 0; n < 12; n += 1) await order(one.keys.live_secret, newOrder({ ...who, ...near }))
    const [own] = await risks(one.keys.live_secret, [newOrder({ ...who, ...far })])
    expect(own?.flags).toEqual(expect.arrayContaining(['high_velocity', 'location_anomaly']))
    for (const key of [one.keys.test_secret, two.keys.live_secret, two.keys.test_secret]) {
      const [other] = await risks(key, [newOrder({ ...who, ...far })])
      expect(other).toMatchObject({ risk_score: 0, flags: [] })
      expect((await profile(key, who)).body.content.profile).toMatchObject({
        total_orders: 1,
        device_count: 1,
      })
    }
  })

  it('have the same external_order_id each for an order of their own', async () => {
    const [one, two] = [await harness().createTenant(), await harness().createTenant()]
    const keys = [one.keys.live_secret, one.keys.test_secret, two.keys.live_secret]
    const ids = new Set<string>()
    for (const [n, key] of keys.entries()) {
      const { status, body } = await order(key, {
        external_order_id: 'same',
        amount_cents: 100 + n,
      })
      expect(status).toBe(200)
      ids.add(body.content.order.id)
    }
    expect(ids.size).toBe(3)
  })
})

describe('the price of an order', () => {
  it('is one credit, written down with the order it is for, in one transaction', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { body } = await order(keys.live_secret, newOrder({ external_id: 'customer-1' }))
    const { db } = harness().stores
    expect(await usageOf(db, org_id)).toEqual([
      {
        meter: 'order',
        quantity: '1',
        cost_units: String(UNITS_PER_CREDIT),
        source_id: body.content.order.id,
        mode: 'live',
      },
    ])
    const { rows } = await sql`
      select xmin::text as transaction from orders where org_id = ${org_id}
      union select xmin::text from usage_events where org_id = ${org_id}
      union select xmin::text from profiles where org_id = ${org_id}
      union select xmin::text from states where org_id = ${org_id}`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('is nothing with a test key, and the usage is written down all the same', async () => {
    const { keys, org_id } = await harness().createTenant()
    await order(keys.test_secret, newOrder())
    const usage = await usageOf(harness().stores.db, org_id)
    expect(usage).toMatchObject([{ meter: 'order', mode: 'test', cost_units: '0', quantity: '1' }])
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(0)
  })

  it('OP-20: takes the balance below zero, nothing is refused', async () => {
    const { keys, org_id } = await harness().createTenant()
    for (let n = 0; n < 3; n += 1) {
      expect((await order(keys.live_secret, newOrder())).status).toBe(200)
    }
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(-3)
  })
})

describe('with other settings', () => {
  let strict: Harness
  beforeAll(async () => {
    strict = await openHarness({
      settings: {
        VIGIL_CREDITS_REQUIRED: 'true',
        VIGIL_RATE_LIMIT_ORDER: '3/60',
        VIGIL_TEXT_MAX_CHARS: '64',
        VIGIL_TIME_ZONE: 'Asia/Tokyo',
      },
    })
  })
  afterAll(async () => await strict.close())

  it('OP-20: a live order without credits is a 403 and leaves nothing; test keys go on', async () => {
    const { keys, org_id } = await strict.createTenant()
    const before = await countRows(strict.stores.db, org_id)
    const refused = await order(keys.live_secret, newOrder({ external_id: 'x' }), strict)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({
      success: false,
      message: 'The credits of this organisation are used up',
    })
    expect(await countRows(strict.stores.db, org_id)).toEqual(before)
    expect((await order(keys.test_secret, newOrder(), strict)).status).toBe(200)
    expect((await profile(keys.live_secret, { external_id: 'x' }, strict)).status).toBe(200)
  })

  it('OP-20: what was paid for is answered again after the balance is used up', async () => {
    const { keys, org_id } = await strict.createTenant()
    await strict.services.billing.grantCredits(org_id, 1, 'start', 'start')
    const body = newOrder()
    const first = await order(keys.live_secret, body, strict)
    expect(first.status).toBe(200)
    expect((await order(keys.live_secret, body, strict)).body).toEqual(first.body)
    const other = { ...body, amount_cents: 5 }
    expect((await order(keys.live_secret, other, strict)).status).toBe(403)
  })

  it('OP-18: texts are as long as the setting says', async () => {
    const { keys } = await strict.createTenant()
    const fits = newOrder({ location_city: 'c'.repeat(64), external_id: 'x'.repeat(512) })
    expect((await order(keys.test_secret, fits, strict)).status).toBe(200)
    const long = newOrder({ location_city: 'c'.repeat(65) })
    expect((await order(keys.test_secret, long, strict)).body.content).toEqual({
      field: 'location_city',
    })
  })

  it('OP-19: orders have a limit of their own, which a bulk request uses up as it is long', async () => {
    const { keys, org_id } = await strict.createTenant()
    const key = keys.test_secret
    expect((await bulk(key, [newOrder(), newOrder()], strict)).status).toBe(200)
    expect((await bulk(key, [newOrder(), newOrder()], strict)).status).toBe(429)
    expect(await usageOf(strict.stores.db, org_id)).toHaveLength(2)
    expect((await order(key, newOrder(), strict)).status).toBe(429)
    expect((await profile(key, { external_id: 'x' }, strict)).status).toBe(200)
  })

  it('VIGIL_TIME_ZONE: the hour is that of the setting, of coordinates when there are any', async () => {
    const { keys } = await strict.createTenant()
    const ordered_at = '2026-03-01T12:30:00Z'
    const paris = { location_latitude: 48.86, location_longitude: 2.35 }
    const scored = [
      await order(keys.test_secret, newOrder({ ordered_at }), strict),
      await order(keys.test_secret, newOrder({ ordered_at, ...paris }), strict),
    ]
    const hours = scored.map(async ({ body }) => {
      const { id } = body.content.order
      const [stored] = await findWholeOrders(strict.stores.db, { id }, {})
      return stored?.context.local_hour
    })
    expect(await Promise.all(hours)).toEqual([21, 13])
  })
})
