/** Stories about the amounts and the number of orders. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/time-units.ts'
import {
  at,
  GUEST,
  NEW,
  OWN,
  ordinary,
  regulars,
  repeat,
  type Some,
  type Story,
} from './order-story.ts'
import { customerId, openKnownShop, openShop } from './scoring.ts'

const RISES = 42

export const AMOUNT_STORIES: Readonly<Record<string, Story>> = {
  'an ordinary order of a regular': ordinary({}),
  'an ordinary order a little below the usual amount': ordinary({ amount_cents: 3800 }),
  'an ordinary order a little above the usual amount': ordinary({ amount_cents: 6300 }),
  'a free order': ordinary({ amount_cents: 0 }),
  'a return': ordinary({ amount_cents: -4000 }),
  'the first order of a shop': () => ({ shop: openShop(), last: OWN }),
  'an ordinary order of a shop without a history': () => {
    const shop = openShop()
    shop.order({ ...NEW, amount_cents: 4990 })
    return { shop, last: { ...GUEST, location_name: 'Main Street', amount_cents: 1250 } }
  },
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
}
