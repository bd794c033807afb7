/**
 * Orders of one retailer with a web shop and stores over 120 days of autumn: what its honest customers do,
 * and some of each kind of fraud put in between. Written from how people and shops behave, not from how
 * orders are scored: locations are sometimes wrong or missing, addresses of mobile networks are shared,
 * families share devices, browsers look new, tills lose the network, businesses order in rows, and high
 * sales days come. Reputation and earlier checks are never given: only the orders themselves speak.
 */
import { createRandom, type Random } from '../../../src/platform/random.ts'
import { officeTime, season, timeOfDay, weekday } from './calendar.ts'
import { makeEpisodes } from './episodes.ts'
import { DAY_MS, FIRST_DAY_MS, HOUR_MS, orderFacts, type ShopOrder } from './order.ts'
import { type Customer, makeCustomers } from './people.ts'
import { deliverSubscription, shopOnline } from './sessions.ts'
import { anonymousVisits, makeStores, type Store, shopInStore } from './stores.ts'
import { tripAt } from './trips.ts'

export type ShopSize = {
  customers: number
  days: number
  stores: number
  episodes_per_scenario: number
  /** First days without fraud, and not judged: nothing is known of anybody yet. */
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

/** In the order in which the service hears of them. */
export function simulateShop(seed: number, size: ShopSize): ShopOrder[] {
  const random = createRandom(seed, 'shop')
  const customers = makeCustomers(random.fork('customers'), size.customers, size.days)
  const stores = makeStores(random.fork('stores'), size.stores, size.days)
  const clean = cleanOrders(random, { customers, stores, days: size.days })
  const fraud = makeEpisodes(random.fork('episodes'), { clean, customers, stores, size })
  return [...clean, ...fraud].toSorted((a, b) => a.arrives_ms - b.arrives_ms)
}

type People = { customers: Customer[]; stores: Store[]; days: number }

function cleanOrders(random: Random, { customers, stores, days }: People): ShopOrder[] {
  const shopping = random.fork('shopping')
  const known = customers.flatMap((customer) => [
    ...ordersOf(shopping, customer, { stores, days }),
    ...deliverSubscription(shopping, customer, days),
  ])
  const unknown = [
    ...anonymousVisits(random.fork('anonymous'), stores, days),
    ...passingGuests(random.fork('guests'), customers, days),
  ]
  const end_ms = FIRST_DAY_MS + days * DAY_MS
  return [...known, ...unknown]
    .filter(({ facts }) => facts.ordered_at_ms < end_ms)
    .toSorted((a, b) => a.arrives_ms - b.arrives_ms)
}

function ordersOf(
  random: Random,
  customer: Customer,
  { stores, days }: { stores: Store[]; days: number },
): ShopOrder[] {
  const orders: ShopOrder[] = []
  const store = stores.find(({ city }) => city.name === customer.city.name)
  for (let day = Math.floor(customer.joined_day); day < days; day += 1) {
    const rate = customer.orders_per_day * season(day) * weekdayFactor(customer, day)
    for (let left = random.poisson(rate); left > 0; left -= 1) {
      if (store && random.chance(customer.store_share)) {
        const payment = customer.pays_in_store
        const order = shopInStore(random, { store, day, payment, customer })
        if (order && tripAt(customer.trips, order.facts.ordered_at_ms) === 'home')
          orders.push(order)
      } else {
        orders.push(...shopOnline(random, customer, onlineTime(random, customer, day)))
      }
    }
  }
  return orders
}

function weekdayFactor({ is_business }: Customer, day: number): number {
  const isWeekend = weekday(day) === 0 || weekday(day) === 6
  if (is_business) return isWeekend ? 0.05 : 1.35
  return isWeekend ? 1.2 : 0.95
}

/** By the clock of where the customer is on that day. */
function onlineTime(random: Random, customer: Customer, day: number): number {
  const midnight_ms = FIRST_DAY_MS + day * DAY_MS
  const trip = tripAt(customer.trips, midnight_ms + DAY_MS / 2)
  const city = trip === undefined || trip === 'home' ? customer.city : trip.city
  const time = customer.is_business ? officeTime(random) : timeOfDay(random, customer.rhythm)
  return midnight_ms + time - city.utc_offset * HOUR_MS
}

/** People who buy once and leave no name: a device and an address never seen before. */
function passingGuests(random: Random, customers: readonly Customer[], days: number): ShopOrder[] {
  const per_day = customers.length / 400
  return Array.from({ length: random.poisson(per_day * days) }, (_, index) => {
    const guest: Customer = {
      ...random.pick(customers.filter(({ is_business }) => !is_business)),
      index: 1_000_000 + index,
      household: 1_000_000 + index,
      devices: [{ fingerprint: `guest-${index}`, from_day: 0, until_day: days + 1 }],
    }
    const at_ms = onlineTime(random, guest, random.integer(0, days - 1))
    return shopOnline(random, guest, at_ms).map(
      (order): ShopOrder => ({
        ...order,
        truth: { is_fraud: false, kind: 'guest' },
        facts: orderFacts({ ...order.facts, profile_id: undefined }),
      }),
    )
  }).flat()
}
