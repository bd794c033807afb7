/** All stories about the reasons of orders. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import { AMOUNT_STORIES } from './order-stories-amounts.ts'
import {
  at,
  decided,
  GUEST,
  item,
  MADRID,
  MUNICH,
  NEW,
  OWN,
  ordinary,
  regulars,
  repeat,
  type Some,
  type Story,
  TOKYO,
} from './order-story.ts'
import { customerId, openKnownShop } from './scoring.ts'

export const ORDER_STORIES: Readonly<Record<string, Story>> = {
  ...AMOUNT_STORIES,
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
