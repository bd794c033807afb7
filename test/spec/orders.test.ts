/** Requests, responses and prices of orders (specification, "Order"). */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { UNITS_PER_CREDIT } from '../../src/modules/billing/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/index.ts'
import { FLAG_OF, ORDER_SIGNALS } from '../../src/modules/orders/scoring/signals.ts'
import { findWholeOrders } from '../../src/modules/orders/store.ts'
import { useHarness } from '../harness.ts'
import { invalid, success } from '../support/answers.ts'
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
  it('OP-10, OP-53: returns the order and its risk and nothing else', async () => {
    const body = newOrder()
    const answer = await order(await liveKey(), body)
    expect({ status: answer.status, body: answer.body }).toEqual(
      success('Order scored', {
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
      }),
    )
  })

  it('accepts every field of the specification', async () => {
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

  it('returns consistent level, flags and score, and integers from 0 to 100', async () => {
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

/** Risk levels (specification, "Risk scale"). */
function levelOf(score: number): string {
  if (score < 25) return 'low'
  if (score < 50) return 'medium'
  return score < 70 ? 'high' : 'critical'
}

describe('OP-48: a field at its limit is accepted', () => {
  it.each<[string, unknown]>([
    ['external_order_id', 'x'.repeat(512)],
    ['external_order_id', '\u{1f642}'.repeat(512)],
    ['external_id', 'x'.repeat(512)],
    ['amount_cents', 0],
    ['amount_cents', Number.MAX_SAFE_INTEGER],
    ['amount_cents', -Number.MAX_SAFE_INTEGER],
    ['currency', 'JPY'],
    ['currency', 'jpy'],
    ...['online', 'in_store', 'phone', 'other'].map((type): [string, unknown] => [
      'order_type',
      type,
    ]),
    ...['card', 'cash', 'mobile', 'crypto', 'other'].map((m): [string, unknown] => [
      'payment_method',
      m,
    ]),
    ['item_count', 0],
    ['item_count', -2],
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
    ['items', [{ quantity: -1, unit_price_cents: 4990, total_price_cents: -4990 }]],
    ['items', [{ quantity: 0, unit_price_cents: -500, total_price_cents: -500 }]],
    ['items', [{ ...ITEM, discount_cents: -100 }]],
    ...['none', 'percentage', 'fixed', 'override', 'employee'].map(
      (discount_type): [string, unknown] => ['items', [{ ...ITEM, discount_type }]],
    ),
  ])('%s', async (name, value) => {
    const { status } = await order(await liveKey(), newOrder({ [name]: value }))
    expect(status).toBe(200)
  })
})

describe('OP-48: an invalid field is refused by name', () => {
  it.each<[string, unknown]>([
    ['external_order_id', undefined],
    ['external_order_id', ''],
    ['external_order_id', 'x'.repeat(513)],
    ['external_order_id', 5],
    ['external_id', ''],
    ['external_id', 'x'.repeat(513)],
    ['external_order_id', null],
    ['amount_cents', undefined],
    ['amount_cents', null],
    ['amount_cents', 49.9],
    ['amount_cents', '4990'],
    ['amount_cents', Number.MAX_SAFE_INTEGER + 1],
    ['amount_cents', -Number.MAX_SAFE_INTEGER - 1],
    ['currency', 'EURO'],
    ['currency', '€'],
    ['currency', ''],
    ['order_type', 'instore'],
    ['payment_method', 'Card'],
    ['item_count', 1.5],
    ['location_latitude', 90.000_1],
    ['location_latitude', -90.000_1],
    ['location_latitude', '48.2'],
    ['location_longitude', 180.000_1],
    ['location_longitude', -180.000_1],
    ['location_city', 'c'.repeat(1025)],
    ['location_name', 'n'.repeat(1025)],
    ['fingerprint_hash', 'f'.repeat(1025)],
    ['edge_device_id', 'e'.repeat(1025)],
    ['cashier_external_id', 'x'.repeat(513)],
    ['ordered_at', '2026-03-01'],
    ['ordered_at', '2026-02-30T10:00:00Z'],
    ['ordered_at', '2026-03-01T24:00:01Z'],
    ['ordered_at', '2016-12-31T12:00:60Z'],
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
    ['quantity', null],
    ['quantity', 1.5],
    ['unit_price_cents', undefined],
    ['unit_price_cents', 0.5],
    ['total_price_cents', undefined],
    ['total_price_cents', '1'],
    ['discount_cents', -0.5],
    ['discount_type', 'gift'],
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
    expect(answer.body).toEqual(invalid(field))
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  }
})

describe('a text of the wrong format', () => {
  it.each([
    ['ordered_at', '1.3.2026', 'a time in RFC 3339, such as 2026-03-01T12:00:00Z'],
    ['currency', 'Euro', 'a currency code in ISO 4217, such as EUR'],
  ])('is refused with an example: %s', async (field, value, wanted) => {
    const { status, body } = await order(await liveKey(), newOrder({ [field]: value }))
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: `${field} must be ${wanted}`,
    })
  })
})

describe('OP-141: null', () => {
  const OPTIONAL = [
    'external_id currency order_type payment_method item_count location_latitude',
    'location_longitude location_country location_city location_name fingerprint_hash ip_hash',
    'edge_device_id cashier_external_id ordered_at items',
  ].flatMap((line) => line.split(' '))
  const IN_ITEMS = ['external_item_id', 'item_category', 'discount_cents', 'discount_type']
  const nulls = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]))

  it('in an optional member is the same as leaving it out, also for a retry and in a bulk', async () => {
    const { keys, org_id } = await harness().createTenant()
    const plain = newOrder({ external_id: undefined, ordered_at: undefined })
    const first = await order(keys.live_secret, { ...plain, ...nulls(OPTIONAL) })
    expect(first.status).toBe(200)
    expect((await order(keys.live_secret, plain)).body).toEqual(first.body)
    const { body } = await bulk(keys.live_secret, [plain, { ...plain, ...nulls(OPTIONAL) }])
    expect(body.content).toEqual([first.body, first.body])
    expect(await countRows(harness().stores.db, org_id)).toMatchObject({ orders: 1 })
  })

  it('in an optional member of an item is the same as leaving it out', async () => {
    const key = await liveKey()
    const plain = newOrder({ items: [ITEM] })
    const first = await order(key, { ...plain, items: [{ ...ITEM, ...nulls(IN_ITEMS) }] })
    expect(first.status).toBe(200)
    expect((await order(key, plain)).body).toEqual(first.body)
  })

  it('and an empty text have the same effect in descriptive texts, but not in ids', async () => {
    const key = await liveKey()
    const plain = newOrder({ items: [ITEM] })
    const texts = ['location_country', 'location_city', 'location_name', 'fingerprint_hash']
    const empty = Object.fromEntries([...texts, 'ip_hash', 'edge_device_id'].map((n) => [n, '']))
    const emptyItem = { ...ITEM, external_item_id: '', item_category: '' }
    const first = await order(key, { ...plain, ...empty, items: [emptyItem] })
    expect(first.status).toBe(200)
    expect((await order(key, plain)).body).toEqual(first.body)
  })
})

describe('OP-48: currency', () => {
  it('in either case is the same, also for a retry', async () => {
    const { keys, org_id } = await harness().createTenant()
    const body = newOrder({ currency: 'eur' })
    const first = await order(keys.live_secret, body)
    const again = await order(keys.live_secret, { ...body, currency: 'EUR' })
    expect(again).toMatchObject({ status: 200, body: first.body })
    const name = String(body['external_order_id'])
    const [stored] = await findWholeOrders(harness().stores.db, { name }, { org_id })
    expect(stored?.request.currency).toBe('EUR')
  })
})

describe('OP-48: an order that returns more than it sells', () => {
  const RETURN = {
    amount_cents: -900_000,
    items: [{ quantity: -2000, unit_price_cents: 450, total_price_cents: -900_000 }],
  }

  it('is no unusual amount, no tiny order and no mismatch, and changes no habit', async () => {
    const key = await liveKey()
    const who = { external_id: 'customer-1' }
    await bulk(key, pastOrders(40, START, who))
    const [returned] = await risks(key, [newOrder({ ...who, ...RETURN })])
    expect(returned?.signals).toMatchObject({ amount_anomaly: 0, pattern: 0 })
    const [outlier] = await risks(key, [newOrder({ ...who, amount_cents: 900_000 })])
    expect(outlier?.flags).toContain('amount_anomaly')
  })

  it('does not hide a huge quantity or a wrong total', async () => {
    const key = await liveKey()
    const huge = { quantity: 2000, unit_price_cents: 450, total_price_cents: 900_000 }
    const [risk] = await risks(key, [newOrder({ amount_cents: 0, items: [huge, ...RETURN.items] })])
    expect(risk?.signals.pattern).toBeGreaterThan(0)
  })
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
    ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    ['20260301T100000Z', '2026-03-01T10:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ])('%s is returned in UTC, also by a retry', async (ordered_at, answered) => {
    const key = await liveKey()
    const body = newOrder({ ordered_at })
    for (let n = 0; n < 2; n += 1) {
      const answer = await order(key, body)
      expect(answer.body.content.order.ordered_at).toBe(answered)
    }
  })

  it('can lie in the future, in the far past or out of order', async () => {
    const key = await liveKey()
    const times = ['2999-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z']
    for (const ordered_at of times) {
      const here = { location_latitude: 52.5, location_longitude: 13.4, fingerprint_hash: 'f' }
      await order(key, newOrder({ external_id: 'traveler', ip_hash: 'i', ordered_at, ...here }))
    }
    const [now] = await risks(key, [
      newOrder({ external_id: 'traveler', fingerprint_hash: 'f', ip_hash: 'i' }),
    ])
    expect(now?.risk_score).toBeLessThan(25)
  })

  it('counts for a late order as for a timely one', async () => {
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

describe('entities of an order', () => {
  it('OP-48: a place needs both coordinates', async () => {
    const key = await liveKey()
    const who = { external_id: 'customer-1' }
    await order(key, newOrder({ ...who, location_latitude: 52.5, location_longitude: 13.4 }))
    for (const half of [{ location_latitude: -40 }, { location_longitude: -170 }]) {
      const [risk] = await risks(key, [newOrder({ ...who, ...half })])
      expect(risk?.signals.location_anomaly).toBe(0)
    }
  })

  it('OP-51: an unknown profile becomes a customer with one order', async () => {
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

  it('OP-51: cashier, device and terminal create no profile', async () => {
    const { keys, org_id } = await harness().createTenant()
    const named = { cashier_external_id: 'c', fingerprint_hash: 'f', edge_device_id: 'e' }
    expect((await order(keys.live_secret, newOrder(named))).status).toBe(200)
    expect((await countRows(harness().stores.db, org_id))['profiles']).toBe(0)
    const { body } = await profile(keys.live_secret, { external_id: 'c' })
    expect(body.content.is_new).toBe(true)
  })
})

describe('modes and organizations', () => {
  const far = { location_latitude: 35.68, location_longitude: 139.69 }
  const near = { location_latitude: 52.52, location_longitude: 13.4 }
  const who = { external_id: 'customer-1', fingerprint_hash: 'f', ip_hash: 'i' }

  it('are isolated from each other', async () => {
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

  it('can each use the same external_order_id', async () => {
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
  it('is one credit, recorded in the transaction of the order', async () => {
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

  it('is zero with a test key, but usage is recorded', async () => {
    const { keys, org_id } = await harness().createTenant()
    await order(keys.test_secret, newOrder())
    const usage = await usageOf(harness().stores.db, org_id)
    expect(usage).toMatchObject([{ meter: 'order', mode: 'test', cost_units: '0', quantity: '1' }])
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(0)
  })

  it('OP-20: can take the balance below zero without refusal', async () => {
    const { keys, org_id } = await harness().createTenant()
    for (let n = 0; n < 3; n += 1) {
      expect((await order(keys.live_secret, newOrder())).status).toBe(200)
    }
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(-3)
  })
})

describe('with other settings', () => {
  const strict = useHarness({
    settings: {
      VIGIL_CREDITS_REQUIRED: 'true',
      VIGIL_RATE_LIMIT_ORDER: '3/60',
      VIGIL_TEXT_MAX_CHARS: '64',
      VIGIL_TIME_ZONE: 'Asia/Tokyo',
    },
  })

  it('OP-20: a live order without credits is a 403 without effect; test keys work', async () => {
    const { keys, org_id } = await strict().createTenant()
    const before = await countRows(strict().stores.db, org_id)
    const refused = await order(keys.live_secret, newOrder({ external_id: 'x' }), strict())
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({
      success: false,
      message: 'The credits of this organization are used up',
    })
    expect(await countRows(strict().stores.db, org_id)).toEqual(before)
    expect((await order(keys.test_secret, newOrder(), strict())).status).toBe(200)
    expect((await profile(keys.live_secret, { external_id: 'x' }, strict())).status).toBe(200)
  })

  it('OP-20: an order that was paid for is returned again without credits', async () => {
    const { keys, org_id } = await strict().createTenant()
    await strict().services.billing.grantCredits(org_id, 1, 'start', 'start')
    const body = newOrder()
    const first = await order(keys.live_secret, body, strict())
    expect(first.status).toBe(200)
    expect((await order(keys.live_secret, body, strict())).body).toEqual(first.body)
    const other = { ...body, amount_cents: 5 }
    expect((await order(keys.live_secret, other, strict())).status).toBe(403)
  })

  it('OP-18: the setting limits the length of texts', async () => {
    const { keys } = await strict().createTenant()
    const fits = newOrder({ location_city: 'c'.repeat(64), external_id: 'x'.repeat(512) })
    expect((await order(keys.test_secret, fits, strict())).status).toBe(200)
    const long = newOrder({ location_city: 'c'.repeat(65) })
    expect((await order(keys.test_secret, long, strict())).body.content).toEqual({
      field: 'location_city',
    })
  })

  it('OP-19: each order of a bulk request counts towards the order rate limit', async () => {
    const { keys, org_id } = await strict().createTenant()
    const key = keys.test_secret
    expect((await bulk(key, [newOrder(), newOrder()], strict())).status).toBe(200)
    expect((await bulk(key, [newOrder(), newOrder()], strict())).status).toBe(429)
    expect(await usageOf(strict().stores.db, org_id)).toHaveLength(2)
    expect((await order(key, newOrder(), strict())).status).toBe(429)
    expect((await profile(key, { external_id: 'x' }, strict())).status).toBe(200)
  })

  it('VIGIL_TIME_ZONE: sets the local hour of orders without coordinates', async () => {
    const { keys } = await strict().createTenant()
    const ordered_at = '2026-03-01T12:30:00Z'
    const paris = { location_latitude: 48.86, location_longitude: 2.35 }
    const scored = [
      await order(keys.test_secret, newOrder({ ordered_at }), strict()),
      await order(keys.test_secret, newOrder({ ordered_at, ...paris }), strict()),
    ]
    const hours = scored.map(async ({ body }) => {
      const { id } = body.content.order
      const [stored] = await findWholeOrders(strict().stores.db, { id }, {})
      return stored?.context.local_hour
    })
    expect(await Promise.all(hours)).toEqual([21, 13])
  })
})
