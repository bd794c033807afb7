/**
 * Short histories for the reasons of orders. Each ends with one order; `reasonsOfStory` returns what
 * people read about it.
 */
import { explainOrder } from '../../src/modules/orders/explanation.ts'
import { learnDecision } from '../../src/modules/orders/scoring/decision.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { customerId, openKnownShop, openShop, orderFacts, type Shop, START } from './scoring.ts'

type Some = Partial<OrderFacts>

/** The regular customer of most stories, with an account, a device, a place and a country. */
const OWN: Some = {
  profile_id: customerId(1),
  fingerprint_hash: 'own device',
  latitude: 52.52,
  longitude: 13.405,
  country: 'DE',
}
const GUEST: Some = { profile_id: undefined }
const NEW: Some = { profile_id: customerId(900), fingerprint_hash: 'new device' }
const at = (ms: number): Some => ({ ordered_at_ms: START + ms })
const TOKYO: Some = { latitude: 35.68, longitude: 139.69 }
const MADRID: Some = { latitude: 40.42, longitude: -3.7 }
const MUNICH: Some = { latitude: 48.137, longitude: 11.575 }

/** A shop where the regular customer ordered twenty times more in the last weeks. */
function regulars(some: Some = {}): Shop {
  const shop = openKnownShop()
  for (let i = 20; i > 0; i -= 1) {
    shop.order({
      ...OWN,
      amount_cents: 4000 + (i % 7) * 500,
      ...some,
      ...at(-2 * i * DAY_MS - HOUR_MS),
    })
  }
  return shop
}

function repeat(shop: Shop, times: number, order: (i: number) => Some): void {
  for (let i = 0; i < times; i += 1) shop.order(order(i))
}

/** Scores an order and decides it an hour later. */
function decided(shop: Shop, some: Some, decision: 'confirmed_fraud' | 'legitimate'): void {
  const facts = orderFacts(some)
  const scored_at_ms = facts.ordered_at_ms
  const { risk } = shop.order(facts)
  const order = { facts, risk_score: risk.risk_score, scored_at_ms }
  const to = { decision, now_ms: scored_at_ms + HOUR_MS }
  shop.write(facts, learnDecision(order, to, shop.read(facts), DEFAULT_ORDER_PARAMETERS))
}

const item = (quantity: number, unit_price_cents: number, total_price_cents: number) => ({
  quantity,
  unit_price_cents,
  total_price_cents,
  discount_cents: 0,
  discount_type: undefined,
})

/** The last order of a story, placed in the shop of the story. */
export type Story = () => { shop: Shop; last: Some }

/** Score, then the points and the sentence of each reason. */
export function reasonsOfStory(story: Story): {
  score: number
  reasons: string[]
  findings: string[]
} {
  const { shop, last } = story()
  const facts = orderFacts(last)
  const { risk, measurements } = shop.order(facts)
  const { amount_cents, currency, profile_id, edge_device_id, location_name } = facts
  const request = {
    external_order_id: 'o-1',
    amount_cents,
    currency,
    ...(profile_id !== undefined && { external_id: profile_id }),
    ...(edge_device_id !== undefined && { edge_device_id }),
    ...(location_name !== undefined && { location_name }),
  }
  const counted = explainOrder({ request, risk, measurements }, DEFAULT_ORDER_PARAMETERS).filter(
    ({ points }) => points > 0,
  )
  return {
    score: risk.risk_score,
    reasons: counted.map(({ points, sentence }) => `+${points} ${sentence}`),
    findings: counted.flatMap(({ finding }) => (finding === null ? [] : [finding])),
  }
}

const ordinary = (some: Some) => (): ReturnType<Story> => ({
  shop: regulars(),
  last: { ...OWN, ...some },
})

const RISES = 38

export const ORDER_STORIES: Readonly<Record<string, Story>> = {
  'an ordinary order of a regular': ordinary({}),
  'an ordinary order a little below the usual amount': ordinary({ amount_cents: 3800 }),
  'an ordinary order a little above the usual amount': ordinary({ amount_cents: 6300 }),
  'a free order': ordinary({ amount_cents: 0 }),
  'a return': ordinary({ amount_cents: -4000 }),
  'the first order of a shop': () => ({ shop: openShop(), last: OWN }),
  'the usual amount of a new customer': () => ({ shop: openKnownShop(), last: NEW }),
  'a guest at a terminal with a usual amount': () => ({
    shop: openKnownShop(),
    last: { ...GUEST, edge_device_id: 'pos-1', order_type: 'in_store' },
  }),
  'a regular who spends a little more than ever': ordinary({ amount_cents: 9500 }),
  'a regular who spends five times the usual amount': ordinary({ amount_cents: 25_267 }),
  'a regular in yen': () => {
    const shop = regulars({ currency: 'JPY' })
    return { shop, last: { ...OWN, currency: 'JPY', amount_cents: 25_267 } }
  },
  'a regular in Kuwaiti dinars': () => {
    const shop = regulars({ currency: 'KWD' })
    return { shop, last: { ...OWN, currency: 'KWD', amount_cents: 25_267 } }
  },
  'a regular who tries a very small amount': ordinary({ amount_cents: 100 }),
  'a regular with unusual amounts for days': () => {
    const shop = regulars()
    repeat(shop, 3, (i) => ({ ...OWN, amount_cents: 10_500, ...at(i * 20 * HOUR_MS) }))
    return { shop, last: { ...OWN, amount_cents: 9000, ...at(3 * 20 * HOUR_MS) } }
  },
  'amounts that rise by three percent an order': () => {
    const shop = openKnownShop()
    const riser = (i: number, amount_cents: number): Some => ({
      profile_id: customerId(950),
      amount_cents,
      ...at(i * DAY_MS),
    })
    repeat(shop, 40, (i) => riser(i - 40, 4500 + (i % 5) * 250))
    repeat(shop, RISES, (i) => riser(i, Math.round(5000 * 1.03 ** i)))
    return { shop, last: riser(RISES, Math.round(5000 * 1.03 ** RISES)) }
  },
  'a first order beyond everything that was ever sold': () => ({
    shop: openKnownShop(),
    last: { ...NEW, amount_cents: 5_000_000 },
  }),
  'a first order that is large for the shop': () => ({
    shop: openKnownShop(),
    last: { ...NEW, amount_cents: 17_000 },
  }),
  'the second large order of a new customer': () => {
    const shop = openKnownShop()
    shop.order({ ...NEW, amount_cents: 25_000 })
    return { shop, last: { ...NEW, amount_cents: 25_000, ...at(HOUR_MS) } }
  },
  'many ordinary orders of a new customer on one day': () => {
    const shop = openKnownShop()
    repeat(shop, 5, (i) => ({ ...NEW, amount_cents: 9000, ...at(i * HOUR_MS) }))
    return { shop, last: { ...NEW, amount_cents: 9000, ...at(5 * HOUR_MS) } }
  },
  'a guest at a terminal who spends a lot': () => {
    const shop = openKnownShop()
    repeat(shop, 60, (i) => ({
      ...GUEST,
      edge_device_id: 'pos-1',
      order_type: 'in_store',
      amount_cents: 2000 + (i % 9) * 300,
      ...at(-i * HOUR_MS),
    }))
    return {
      shop,
      last: { ...GUEST, edge_device_id: 'pos-1', order_type: 'in_store', amount_cents: 40_000 },
    }
  },
  'a guest of the online shop who spends a lot': () => ({
    shop: openKnownShop(),
    last: { ...GUEST, amount_cents: 12_000 },
  }),
  'five orders within five minutes': () => {
    const shop = regulars()
    repeat(shop, 5, (i) => ({ ...OWN, ...at(i * MINUTE_MS) }))
    return { shop, last: { ...OWN, ...at(5 * MINUTE_MS) } }
  },
  'twenty orders within ten minutes': () => {
    const shop = regulars()
    repeat(shop, 19, (i) => ({ ...OWN, ...at(i * 30_000) }))
    return { shop, last: { ...OWN, ...at(19 * 30_000) } }
  },
  'six orders within an hour': () => {
    const shop = regulars()
    repeat(shop, 5, (i) => ({ ...OWN, ...at(i * 10 * MINUTE_MS) }))
    return { shop, last: { ...OWN, ...at(50 * MINUTE_MS) } }
  },
  'guests who order from one device': () => {
    const shop = openKnownShop()
    repeat(shop, 9, (i) => ({ ...GUEST, fingerprint_hash: 'kiosk', ...at(i * 20_000) }))
    return { shop, last: { ...GUEST, fingerprint_hash: 'kiosk', ...at(200_000) } }
  },
  'guests who order from one address': () => {
    const shop = openKnownShop()
    repeat(shop, 30, (i) => ({ ...GUEST, ip_hash: 'address', ...at(i * 10_000) }))
    return { shop, last: { ...GUEST, ip_hash: 'address', ...at(300_000) } }
  },
  'an amount that is split into several orders': () => {
    const shop = regulars()
    repeat(shop, 5, (i) => ({ ...OWN, amount_cents: 9500, ...at(i * 3 * HOUR_MS) }))
    return { shop, last: { ...OWN, amount_cents: 9500, ...at(15 * HOUR_MS) } }
  },
  'cards tested on one device': () => {
    const shop = openKnownShop()
    repeat(shop, 20, (i) => ({
      ...GUEST,
      fingerprint_hash: 'bot',
      amount_cents: 137,
      ...at(i * MINUTE_MS),
    }))
    return {
      shop,
      last: { ...GUEST, fingerprint_hash: 'bot', amount_cents: 137, ...at(20 * MINUTE_MS) },
    }
  },
  'cards tested from one address': () => {
    const shop = openKnownShop()
    repeat(shop, 7, (i) => ({ ...GUEST, ip_hash: 'bad', amount_cents: 137, ...at(i * 10_000) }))
    return { shop, last: { ...GUEST, ip_hash: 'bad', amount_cents: 137, ...at(80_000) } }
  },
  'cards tested at a terminal': () => {
    const shop = openKnownShop()
    repeat(shop, 9, (i) => ({
      ...GUEST,
      edge_device_id: 'pos-1',
      amount_cents: 100,
      ...at(i * 20_000),
    }))
    return { shop, last: { ...GUEST, edge_device_id: 'pos-1', amount_cents: 100, ...at(200_000) } }
  },
  'cards tested by guests without a device': () => {
    const shop = openKnownShop()
    repeat(shop, 40, (i) => ({ ...GUEST, amount_cents: 137, ...at(i * 5000) }))
    return { shop, last: { ...GUEST, amount_cents: 137, ...at(200_000) } }
  },
  'Berlin, then Tokyo half an hour later': () => {
    const shop = regulars()
    shop.order({ ...OWN, order_type: 'in_store' })
    return { shop, last: { ...OWN, ...TOKYO, order_type: 'in_store', ...at(30 * MINUTE_MS) } }
  },
  'Berlin, then Munich half an hour later': () => {
    const shop = regulars()
    shop.order({ ...OWN, order_type: 'in_store' })
    return { shop, last: { ...OWN, ...MUNICH, order_type: 'in_store', ...at(30 * MINUTE_MS) } }
  },
  'Madrid, without a country': () => ({
    shop: regulars(),
    last: { ...OWN, ...MADRID, country: 'DE', ...at(DAY_MS) },
  }),
  'coordinates in Tokyo with Germany as the country': () => ({
    shop: regulars(),
    last: { ...GUEST, ...TOKYO, country: 'DE', is_outside_country: true, ...at(DAY_MS) },
  }),
  'a first order from Spain': () => ({
    shop: regulars(),
    last: { ...OWN, latitude: undefined, longitude: undefined, country: 'ES', ...at(DAY_MS) },
  }),
  'a country with an unknown name': () => ({
    shop: regulars({ country: 'atlantis' }),
    last: { ...OWN, latitude: undefined, longitude: undefined, country: 'lemuria', ...at(DAY_MS) },
  }),
  'three customers on one device': () => {
    const shop = openKnownShop()
    repeat(shop, 2, (i) => ({
      profile_id: customerId(20 + i),
      fingerprint_hash: 'farm',
      ...at(i * HOUR_MS),
    }))
    return {
      shop,
      last: { profile_id: customerId(22), fingerprint_hash: 'farm', ...at(2 * HOUR_MS) },
    }
  },
  'eight new customers on one device': () => {
    const shop = openKnownShop()
    repeat(shop, 7, (i) => ({
      profile_id: customerId(20 + i),
      fingerprint_hash: 'farm',
      ...at(i * HOUR_MS),
    }))
    return {
      shop,
      last: { profile_id: customerId(27), fingerprint_hash: 'farm', ...at(7 * HOUR_MS) },
    }
  },
  'the third new device of a customer within a day': () => {
    const shop = openKnownShop()
    const device = (i: number): Some => ({
      profile_id: customerId(1),
      fingerprint_hash: `device ${i}`,
    })
    repeat(shop, 3, (i) => ({ ...device(i), ...at(i * 4 * HOUR_MS) }))
    return { shop, last: { ...device(3), ...at(12 * HOUR_MS) } }
  },
  'a new device of a regular': () => ({
    shop: regulars(),
    last: { ...OWN, fingerprint_hash: 'phone' },
  }),
  'a new device with a large amount': () => ({
    shop: regulars(),
    last: { ...OWN, fingerprint_hash: 'phone', amount_cents: 12_500 },
  }),
  'a new device far away': () => ({
    shop: regulars(),
    last: { ...OWN, ...MADRID, country: 'ES', fingerprint_hash: 'phone', ...at(2 * DAY_MS) },
  }),
  'a new device far away with a large amount': () => ({
    shop: regulars(),
    last: {
      ...OWN,
      ...MADRID,
      country: 'ES',
      fingerprint_hash: 'phone',
      amount_cents: 12_500,
      ...at(2 * DAY_MS),
    },
  }),
  'a device that failed a check': ordinary({ check_risk: 80 }),
  'a device of a confirmed fraud': () => {
    const shop = regulars()
    decided(shop, { profile_id: customerId(30), fingerprint_hash: 'thief' }, 'confirmed_fraud')
    return {
      shop,
      last: { profile_id: customerId(31), fingerprint_hash: 'thief', ...at(2 * HOUR_MS) },
    }
  },
  'a device of a critical order that waits for a decision': () => {
    const shop = regulars()
    shop.order({
      ...OWN,
      ...MADRID,
      country: 'ES',
      fingerprint_hash: 'thief',
      amount_cents: 30_000,
    })
    return {
      shop,
      last: { profile_id: customerId(31), fingerprint_hash: 'thief', ...at(10 * MINUTE_MS) },
    }
  },
  'many customers behind one address': () => {
    const shop = openKnownShop()
    repeat(shop, 31, (i) => ({
      profile_id: customerId(40 + i),
      ip_hash: 'office',
      ...at(i * 10 * MINUTE_MS),
    }))
    return { shop, last: { profile_id: customerId(90), ip_hash: 'office', ...at(6 * HOUR_MS) } }
  },
  'an order at three in the morning': () => ({
    shop: regulars(),
    last: { ...OWN, local_hour: 3, ...at(15 * HOUR_MS) },
  }),
  'a customer with a bad reputation': ordinary({ reputation: { profile: 80, device: 0, ip: 0 } }),
  'an address with a bad reputation': ordinary({ reputation: { profile: 0, device: 20, ip: 55 } }),
  'a terminal where fraud was confirmed': () => {
    const shop = openKnownShop()
    repeat(shop, 30, (i) => ({ ...GUEST, edge_device_id: 'pos-9', ...at(-i * 3 * HOUR_MS) }))
    for (let i = 0; i < 4; i += 1) {
      decided(shop, { ...GUEST, edge_device_id: 'pos-9', ...at(i * HOUR_MS) }, 'confirmed_fraud')
    }
    return { shop, last: { ...GUEST, edge_device_id: 'pos-9', ...at(6 * HOUR_MS) } }
  },
  'a tablet of the shop where fraud was confirmed': () => {
    const shop = regulars()
    const tablet: Some = { ...GUEST, edge_device_id: 'pos-3', fingerprint_hash: 'tablet' }
    decided(shop, tablet, 'confirmed_fraud')
    return { shop, last: { ...tablet, edge_device_id: 'pos-4', ...at(3 * HOUR_MS) } }
  },
  'a customer with a confirmed fraud': () => {
    const shop = regulars()
    decided(shop, { ...OWN, fingerprint_hash: undefined }, 'confirmed_fraud')
    return { shop, last: { ...OWN, fingerprint_hash: undefined, ...at(3 * HOUR_MS) } }
  },
  'a customer whose orders were all decided to be legitimate': () => {
    const shop = regulars()
    decided(shop, OWN, 'legitimate')
    return { shop, last: { ...OWN, ...at(30 * HOUR_MS) } }
  },
  'a first order by cryptocurrency': () => ({
    shop: openKnownShop(),
    last: { ...NEW, amount_cents: 11_000, payment_method: 'crypto' },
  }),
  'a switch from card to cryptocurrency': ordinary({ payment_method: 'crypto' }),
  'cryptocurrency on a new device': ordinary({
    payment_method: 'crypto',
    fingerprint_hash: 'phone',
  }),
  'another payment method on a new device': ordinary({
    payment_method: 'mobile',
    fingerprint_hash: 'phone',
  }),
  'three payment methods within an hour': () => {
    const shop = regulars()
    shop.order({ ...OWN, payment_method: 'mobile' })
    shop.order({ ...OWN, payment_method: 'card', ...at(10 * MINUTE_MS) })
    return { shop, last: { ...OWN, payment_method: 'other', ...at(20 * MINUTE_MS) } }
  },
  'items that do not match the total': ordinary({ items: [item(1, 90_000, 90_000)] }),
  'a total far beyond the items': ordinary({ items: [item(1, 100, 100)], amount_cents: 5900 }),
  'lines that do not match their prices': ordinary({
    items: [item(1, 1000, 4000), item(1, 1000, 1000)],
  }),
  'a thousand pieces of one item': () => ({
    shop: regulars({ items: [item(5, 1000, 5000)] }),
    last: { ...OWN, items: [item(1200, 4, 4800)] },
  }),
}
