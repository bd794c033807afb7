/**
 * Frauds and usual days as orders over HTTP: which are flagged, with which flag, and which are not.
 */

import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { useHarness } from '../harness.ts'
import { type Body, newOrder, pastOrders, settableClock, useOrders } from '../support/orders.ts'
import { confirmFraud, createVoice } from '../support/voices.ts'

/** A Monday at noon. */
const START = new Date('2026-03-02T12:00:00Z')

const harness = useHarness({ clock: settableClock(START) })
const { bulk, profile, risks } = useOrders(harness)

const at = (ms: number): string => new Date(START.getTime() + ms).toISOString()
const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

/** Creates an organization whose customers have ordered for weeks. */
async function establishedShop(given: Body = {}): Promise<string> {
  const { keys } = await harness().createTenant()
  for (let n = 0; n < 4; n += 1) {
    const past = pastOrders(25, START, { external_id: `customer-${n}`, ...given })
    const { body } = await bulk(keys.live_secret, past)
    for (const { content } of body.content) expect(content.risk.flagged_for_review).toBe(false)
  }
  return keys.live_secret
}

const last = async (key: string, orders: readonly Body[]) => {
  const scored = await risks(key, orders)
  const risk = scored.at(-1)
  if (!risk) throw new Error('no order was scored')
  return risk
}

describe('a velocity burst', () => {
  it('of ten orders within two minutes is flagged', async () => {
    const key = await establishedShop()
    const burst = Array.from({ length: 10 }, (_, n) =>
      newOrder({ external_id: 'customer-0', ordered_at: at(n * 12_000) }),
    )
    const risk = await last(key, burst)
    expect(risk.flags).toEqual(['high_velocity'])
    expect(risk.risk_score).toBeGreaterThanOrEqual(50)
  })

  it('does not include a retry a minute later', async () => {
    const key = await establishedShop()
    for (const minutes of [0, 1, 3]) {
      const ordered_at = at(minutes * MINUTE_MS)
      const risk = await last(key, [newOrder({ external_id: 'customer-0', ordered_at })])
      expect(risk.flagged_for_review).toBe(false)
    }
  })

  it('of many customers at one terminal is usual', async () => {
    const key = await establishedShop()
    const queue = Array.from({ length: 60 }, (_, n) =>
      newOrder({
        order_type: 'in_store',
        edge_device_id: 'till-1',
        location_name: 'Store 7',
        fingerprint_hash: 'till-browser',
        ip_hash: 'shop',
        ordered_at: at(n * MINUTE_MS),
      }),
    )
    for (const risk of await risks(key, queue)) expect(risk.flagged_for_review).toBe(false)
  })
})

describe('impossible travel', () => {
  it.each([undefined, 'in_store', 'other'])(
    'from Berlin to Tokyo within half an hour is flagged: order type %s',
    async (order_type) => {
      const key = await establishedShop()
      const who = { external_id: 'customer-1', order_type }
      const risk = await last(key, [
        newOrder({ ...who, ...BERLIN, ordered_at: at(0) }),
        newOrder({ ...who, ...TOKYO, ordered_at: at(30 * MINUTE_MS) }),
      ])
      expect(risk.flags).toContain('location_anomaly')
      expect(risk.risk_score).toBeGreaterThanOrEqual(50)
    },
  )

  it('is also flagged in a new organization, because it needs no statistics', async () => {
    const { keys } = await harness().createTenant()
    const risk = await last(keys.live_secret, [
      newOrder({ external_id: 'x', ...BERLIN, ordered_at: at(0) }),
      newOrder({ external_id: 'x', ...TOKYO, ordered_at: at(30 * MINUTE_MS) }),
    ])
    expect(risk.flags).toEqual(['location_anomaly'])
    expect(risk.flagged_for_review).toBe(true)
  })

  it('is found when the earlier order arrives last', async () => {
    const key = await establishedShop()
    const risk = await last(key, [
      newOrder({ external_id: 'customer-1', ...BERLIN, ordered_at: at(0) }),
      newOrder({ external_id: 'customer-1', ...TOKYO, ordered_at: at(-30 * MINUTE_MS) }),
    ])
    expect(risk.flags).toContain('location_anomaly')
  })

  it.each<[string, number, Body]>([
    ['a flight of a day and a half', 36 * HOUR_MS, {}],
    ['an order taken by phone', 30 * MINUTE_MS, { order_type: 'phone' }],
  ])('does not include %s', async (_, elapsedMs, given) => {
    const key = await establishedShop()
    const risk = await last(key, [
      newOrder({ external_id: 'customer-1', ...BERLIN, ordered_at: at(-2 * DAY_MS) }),
      newOrder({
        external_id: 'customer-1',
        ...TOKYO,
        ...given,
        ordered_at: at(-2 * DAY_MS + elapsedMs),
      }),
    ])
    expect(risk.flags).not.toContain('location_anomaly')
    expect(risk.flagged_for_review).toBe(false)
  })

  it('does not include two anonymous orders', async () => {
    const key = await establishedShop()
    const risk = await last(key, [
      newOrder({ ...BERLIN, ordered_at: at(0) }),
      newOrder({ ...TOKYO, ordered_at: at(MINUTE_MS) }),
    ])
    expect(risk.signals.location_anomaly).toBe(0)
  })
})

describe('an amount', () => {
  it('a hundred times the usual is flagged', async () => {
    const key = await establishedShop()
    const body = newOrder({ external_id: 'customer-2', amount_cents: 500_000, ordered_at: at(0) })
    const risk = await last(key, [body])
    expect(risk.flags).toEqual(['amount_anomaly'])
    expect(risk.risk_score).toBeGreaterThanOrEqual(50)
  })

  it.each([0, 1, 4000, 5500, 6000, 7000, 8000])(
    'of %i cents is not flagged when 50.00 is usual',
    async (amount) => {
      const key = await establishedShop()
      const body = newOrder({ external_id: 'customer-2', amount_cents: amount, ordered_at: at(0) })
      expect((await last(key, [body])).flagged_for_review).toBe(false)
    },
  )

  it('is only compared within its currency', async () => {
    const key = await establishedShop({ currency: 'EUR' })
    const yen = { external_id: 'customer-2', currency: 'JPY', amount_cents: 900_000 }
    expect(
      (await last(key, [newOrder({ ...yen, ordered_at: at(0) })])).signals.amount_anomaly,
    ).toBe(0)
  })
})

describe('a device', () => {
  it('that a dozen profiles order from is flagged', async () => {
    const key = await establishedShop()
    const farm = Array.from({ length: 12 }, (_, n) =>
      newOrder({ external_id: `new-${n}`, fingerprint_hash: 'farm', ordered_at: at(n * HOUR_MS) }),
    )
    const [first, ...others] = await risks(key, farm)
    expect(first?.flags).toEqual([])
    expect(others.at(-1)?.flags).toContain('device_anomaly')
    expect(others.at(-1)?.risk_score).toBeGreaterThanOrEqual(50)
  })

  it('that two people of a household share is not flagged', async () => {
    const key = await establishedShop()
    const orders = Array.from({ length: 10 }, (_, n) =>
      newOrder({
        external_id: `customer-${n % 2}`,
        fingerprint_hash: 'tablet',
        ordered_at: at((n - 10) * DAY_MS),
      }),
    )
    for (const risk of await risks(key, orders)) expect(risk.flagged_for_review).toBe(false)
  })
})

describe('an odd hour', () => {
  it('alone never brings an order to review', async () => {
    const key = await establishedShop()
    await bulk(key, pastOrders(100, START, { external_id: 'regular' }))
    const night = START.getTime() - 9 * HOUR_MS
    for (const external_id of ['regular', 'customer-0', 'stranger']) {
      const ordered_at = new Date(night).toISOString()
      const risk = await last(key, [newOrder({ external_id, ordered_at })])
      if (external_id === 'regular') expect(risk.signals.time_anomaly).toBeGreaterThan(0)
      expect(risk.risk_score).toBeLessThan(50)
      expect(risk.flagged_for_review).toBe(false)
    }
  })
})

describe('payment', () => {
  it('by one method after another within the hour is flagged', async () => {
    const key = await establishedShop({ payment_method: 'card' })
    const methods = ['card', 'mobile', 'other', 'crypto']
    const hopping = methods.map((payment_method, n) =>
      newOrder({ external_id: 'customer-3', payment_method, ordered_at: at(n * 15 * MINUTE_MS) }),
    )
    const risk = await last(key, hopping)
    expect(risk.flags).toContain('pattern_anomaly')
    expect(risk.risk_score).toBeGreaterThanOrEqual(50)
  })

  it('by cash once is not flagged', async () => {
    const key = await establishedShop({ payment_method: 'card' })
    const cash = { external_id: 'customer-3', payment_method: 'cash', ordered_at: at(0) }
    expect((await last(key, [newOrder(cash)])).flags).toEqual([])
  })
})

describe('the country of an order', () => {
  it.each(['Germany', 'germany', 'DE', 'deu', 'Deutschland', 'Allemagne', 'ドイツ', ' Germany '])(
    'equals that of the profile under any name: %s',
    async (location_country) => {
      const { key, bodyIn } = await german()
      expect((await last(key, [bodyIn(location_country)])).signals.location_anomaly).toBe(0)
    },
  )

  it.each(['France', 'FR', 'Nigeria'])(
    'elsewhere is a finding but not flagged: %s',
    async (name) => {
      const { key, bodyIn } = await german()
      const risk = await last(key, [bodyIn(name)])
      expect(risk.signals.location_anomaly).toBeGreaterThan(0)
      expect(risk.flagged_for_review).toBe(false)
    },
  )

  async function german() {
    const key = await establishedShop()
    await profile(key, { external_id: 'customer-1', country_code: 'de' })
    const bodyIn = (location_country: string) =>
      newOrder({ external_id: 'customer-1', location_country, ordered_at: at(0) })
    return { key, bodyIn }
  }
})

describe('a device that failed a check', () => {
  it('is a finding in orders and profiles of the same mode', async () => {
    const { keys } = await harness().createTenant()
    const from = { external_id: 'new', fingerprint_hash: 'checked' }
    const body = { email: 'jane@mailinator.com', device: { fingerprint_hash: 'checked' } }
    const checked = await harness().post('/v1/check', body, { key: keys.live_secret })
    expect(checked.body.content.risk_level).toBe('critical')
    const [live] = await risks(keys.live_secret, [newOrder(from)])
    expect(live?.flags).toEqual(['device_anomaly'])
    const upserted = await profile(keys.live_secret, { ...from, external_id: 'other' })
    expect(upserted.body.content.device_anomaly).toBe('flagged_device')
    expect(upserted.body.content.profile.risk_score).toBeGreaterThan(0)
    const [test] = await risks(keys.test_secret, [newOrder(from)])
    expect(test).toMatchObject({ risk_score: 0, flags: [] })
  })
})

describe('fraud that other organizations confirmed', () => {
  const confirm = async (mode: 'live' | 'test', given: Body) => {
    await confirmFraud(harness(), await createVoice(harness()), given, mode)
  }

  it('is flagged once a second organization agrees', async () => {
    const key = await establishedShop()
    const thief = { external_id: 'new', fingerprint_hash: 'wanted-1' }
    const scores = []
    for (let others = 0; others < 3; others += 1) {
      scores.push(await last(key, [newOrder({ ...thief, ordered_at: at(others * DAY_MS) })]))
      await confirm('live', { fingerprint_hash: 'wanted-1' })
    }
    expect(scores.map(({ flagged_for_review }) => flagged_for_review)).toEqual([false, false, true])
    expect(scores.at(-1)?.flags).toEqual(['pattern_anomaly'])
  })

  it('with a test key only counts for test keys', async () => {
    const key = await establishedShop()
    const { keys } = await harness().createTenant()
    for (let n = 0; n < 3; n += 1) await confirm('test', { fingerprint_hash: 'wanted-2' })
    const from = { fingerprint_hash: 'wanted-2' }
    expect((await last(key, [newOrder(from)])).flags).toEqual([])
    expect((await last(keys.test_secret, [newOrder(from)])).flags).toEqual(['pattern_anomaly'])
  })

  it('does not concern the same customer number of another organization', async () => {
    const key = await establishedShop()
    for (let n = 0; n < 3; n += 1) await confirm('live', { external_id: '4711' })
    expect((await last(key, [newOrder({ external_id: '4711' })])).signals.pattern).toBe(0)
  })
})

describe('a new organization', () => {
  it.each<[string, Body]>([
    ['small', { amount_cents: 1 }],
    ['huge', { amount_cents: 1_000_000_000 }],
    ['at night', { ordered_at: '2026-03-02T03:00:00Z' }],
    ['from anywhere', { external_id: 'x', ...TOKYO, location_country: 'Japan' }],
    [
      'with crypto from a device',
      { external_id: 'x', fingerprint_hash: 'f', payment_method: 'crypto' },
    ],
  ])('gets no flag for its first order: %s', async (_, given) => {
    const { keys } = await harness().createTenant()
    const risk = await last(keys.live_secret, [newOrder(given)])
    expect(risk).toMatchObject({ flags: [], flagged_for_review: false })
  })

  it('gets no flag for usual orders in its first weeks', async () => {
    const { keys } = await harness().createTenant()
    const past = pastOrders(60, START).map((body, n) => ({ ...body, external_id: `c-${n % 17}` }))
    for (const risk of await risks(keys.live_secret, past)) {
      expect(risk).toMatchObject({ flags: [], flagged_for_review: false })
    }
  })
})

describe('learned behavior', () => {
  it('of other customers does not make a new one suspicious', async () => {
    const key = await establishedShop()
    const risk = await last(key, [
      newOrder({ external_id: 'newcomer', fingerprint_hash: 'own', ordered_at: at(0) }),
    ])
    expect(risk).toMatchObject({ risk_level: 'low', flags: [] })
  })
})
