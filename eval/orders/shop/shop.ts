/**
 * A retailer with a web shop and stores over 120 days of autumn: the orders of its honest customers,
 * and some of each kind of fraud between them. Reputation and earlier checks are never set, so that
 * only the orders count.
 */
import { createRandom, type Random } from '../../../src/platform/random.ts'
import {
  type Chain,
  createVisitors,
  ORDINARY_SEASON,
  type Season,
  storeOrdersPerDay,
} from '../../../world/chain.ts'
import { type Customer, makeCustomers } from '../../../world/customers.ts'
import { type Order, SCENARIOS } from '../../../world/events.ts'
import { housewares } from '../../../world/goods.ts'
import { type City, HOME_CITIES } from '../../../world/places.ts'
import { attackChain, daysIn, simulateDay } from '../../../world/simulate.ts'
import { makeStore, type Store } from '../../../world/stores.ts'
import { DAY_MS, HOUR_MS, isWithin } from '../../../world/time.ts'
import { type ShopOrder, shopOrder } from '../facts.ts'

export type ShopSize = {
  customers: number
  days: number
  stores: number
  episodes_per_scenario: number
  /** The first days are without fraud and are not judged, because no customer is known yet. */
  warm_up_days: number
}

export const SHOP_SIZE: ShopSize = {
  customers: 4_000,
  days: 120,
  stores: 10,
  episodes_per_scenario: 40,
  warm_up_days: 30,
}

export const QUICK_SHOP_SIZE: ShopSize = {
  customers: 1_000,
  days: 90,
  stores: 4,
  episodes_per_scenario: 12,
  warm_up_days: 30,
}

/** Autumn, with the days of high sales and Christmas in it. */
export const FIRST_DAY_MS = Date.UTC(2026, 8, 1)

/** In the order in which the service receives them. */
export function simulateShop(seed: number, size: ShopSize): ShopOrder[] {
  const chain = createShop(createRandom(seed, 'shop'), size)
  const span = { start: FIRST_DAY_MS, end: FIRST_DAY_MS + size.days * DAY_MS }
  const events = daysIn(span).flatMap((day) => simulateDay(chain, day))
  const clean = events
    .filter((event): event is Order => event.type === 'order' && isWithin(span, event.at))
    .toSorted((a, b) => a.at - b.at)
  const campaigns = SCENARIOS.flatMap((scenario) =>
    Array.from({ length: size.episodes_per_scenario }, (_, episode) => {
      const random = chain.random.fork(`start of ${scenario} ${episode}`)
      const day = random.between(size.warm_up_days, size.days - 6)
      return { scenario, episode, at: FIRST_DAY_MS + Math.floor(day * DAY_MS) }
    }),
  )
  return [...clean, ...attackChain(chain, clean, { campaigns })]
    .map(shopOrder)
    .toSorted((a, b) => a.arrives_ms - b.arrives_ms)
}

function createShop(random: Random, size: ShopSize): Chain {
  const { customers: count, days } = size
  const population = { homes: HOME_CITIES, start: FIRST_DAY_MS, days, count }
  const customers = makeCustomers(random.fork('customers'), population)
  const largest = HOME_CITIES.toSorted((a, b) => b.weight - a.weight).slice(0, size.stores)
  const stores = largest.map((city) => shopStore(random.fork(city.name), city, days, customers))
  return {
    random,
    stores,
    customers,
    goods: housewares,
    seasonOf,
    weekdays: [],
    visitorOf: createVisitors(customers, stores),
  }
}

/** People without a loyalty card are 12 to 35 a day; the others follow from the customers of the city. */
function shopStore(
  random: Random,
  city: City,
  days: number,
  customers: readonly Customer[],
): Store {
  const locals = customers.filter((customer) => customer.city.name === city.name)
  const loyal = locals.reduce((sum, customer) => sum + storeOrdersPerDay(customer), 0)
  const sales_per_day = random.between(12, 35) + loyal
  return makeStore(random, {
    id: city.name,
    name: `Store ${city.name}`,
    city,
    opens: 9,
    closes: 20,
    closed_on: [0],
    tills: Array.from({ length: random.integer(2, 4) }, (_, till) => `till-${city.name}-${till}`),
    tablet: `tablet-${city.name}`,
    sales_per_day,
    loyal_share: loyal / sales_per_day,
    cash_share: 0.3,
    basket_cents: 2_800,
    spread: 0.8,
    cashiers: Array.from({ length: 6 }, (_, index) => `${city.name}-${index + 1}`),
    outages: Array.from({ length: random.poisson(days / 40) }, () => {
      const start = FIRST_DAY_MS + random.integer(0, days * DAY_MS)
      return { start, end: start + Math.floor(random.between(0.5, 6) * HOUR_MS) }
    }),
  })
}

/** Black Friday to Cyber Monday, Advent with its gifts, and the quiet days after. */
function seasonOf(day: number): Season {
  const date = new Date(day).toISOString().slice(5, 10)
  const gifts = { ...ORDINARY_SEASON, baskets: 1.25 }
  if (date >= '11-26' && date <= '11-30') return { ...gifts, traffic: 3.5 }
  if (date >= '12-01' && date <= '12-21') return { ...gifts, traffic: 1.7 }
  if (date >= '12-24' && date <= '12-26') return { ...ORDINARY_SEASON, traffic: 0.3 }
  return ORDINARY_SEASON
}
