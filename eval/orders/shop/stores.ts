/**
 * Stores with tills and a tablet for what is not on the shelf: loyalty cards, people without a name, shop
 * hours, and tills that lose the network and send their orders later.
 */
import type { Random } from '../../../src/platform/random.ts'
import { basketOf, fillBasket } from './baskets.ts'
import { isGiftSeason, localHour, season, shopTime, weekday } from './calendar.ts'
import { DAY_MS, FIRST_DAY_MS, HOUR_MS, orderFacts, type ShopOrder } from './order.ts'
import type { Customer, Payment } from './people.ts'
import { type City, HOME_CITIES, near, type Position } from './places.ts'

export type Store = {
  name: string
  city: City
  position: Position
  tills: string[]
  tablet: string
  anonymous_per_day: number
  /** Between these the tills have no network. */
  outages: { from_ms: number; until_ms: number }[]
}

export function makeStores(random: Random, count: number, days: number): Store[] {
  const cities = HOME_CITIES.toSorted((a, b) => b.weight - a.weight).slice(0, count)
  return cities.map((city, index) => ({
    name: `Store ${city.name}`,
    city,
    position: near(random, city, 2),
    tills: Array.from({ length: random.integer(2, 4) }, (_, till) => `till-${index}-${till}`),
    tablet: `tablet-${index}`,
    anonymous_per_day: random.between(12, 35),
    outages: Array.from({ length: random.poisson(days / 40) }, () => {
      const from_ms = FIRST_DAY_MS + random.integer(0, days * DAY_MS)
      return { from_ms, until_ms: from_ms + Math.floor(random.between(0.5, 6) * HOUR_MS) }
    }),
  }))
}

export type StoreVisit = { store: Store; day: number; payment: Payment; customer?: Customer }

/** @returns undefined on Sundays */
export function shopInStore(random: Random, visit: StoreVisit): ShopOrder | undefined {
  const { store, day, payment, customer } = visit
  if (weekday(day) === 0) return undefined
  const at_ms = FIRST_DAY_MS + day * DAY_MS + shopTime(random) - store.city.utc_offset * HOUR_MS
  const outage = store.outages.find(({ from_ms, until_ms }) => at_ms >= from_ms && at_ms < until_ms)
  const gift = isGiftSeason(day) ? 1.25 : 1
  const basket = customer
    ? fillBasket(random, customer, gift)
    : basketOf(random, 2_800 * random.lognormal(0.8) * gift)
  const isTablet = random.chance(0.06)
  return {
    arrives_ms: Math.max(at_ms, outage?.until_ms ?? 0),
    truth: { is_fraud: false, kind: kindOf(isTablet, customer) },
    facts: orderFacts({
      ...basket,
      ...store.position,
      country: store.city.country,
      profile_id: customer?.profile_id,
      order_type: 'in_store',
      payment_method: payment,
      location_name: store.name,
      edge_device_id: isTablet ? store.tablet : random.pick(store.tills),
      fingerprint_hash: isTablet ? `browser-${store.tablet}` : undefined,
      ip_hash: isTablet ? `line-${store.name}` : undefined,
      cashier_external_id: isTablet ? undefined : `${store.name}-${random.integer(1, 6)}`,
      ordered_at_ms: at_ms,
      local_hour: localHour(at_ms, store.city.utc_offset),
    }),
  }
}

function kindOf(isTablet: boolean, customer: Customer | undefined) {
  if (isTablet) return 'kiosk'
  return customer ? 'till_loyalty' : 'till_anonymous'
}

/** Everybody without a card, in every store, on every day. */
export function anonymousVisits(
  random: Random,
  stores: readonly Store[],
  days: number,
): ShopOrder[] {
  const orders: ShopOrder[] = []
  for (const store of stores) {
    for (let day = 0; day < days; day += 1) {
      for (let left = random.poisson(store.anonymous_per_day * season(day)); left > 0; left -= 1) {
        const payment = random.weighted<Payment>(['card', 'cash', 'mobile'], (each) =>
          each === 'card' ? 55 : each === 'cash' ? 30 : 15,
        )
        const order = shopInStore(random, { store, day, payment })
        if (order) orders.push(order)
      }
    }
  }
  return orders
}
