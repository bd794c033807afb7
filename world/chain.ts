/** A retail chain: its stores, its customers, their purchases and its seasons. */
import type { Random } from '../src/platform/random.ts'
import type { Customer } from './customers.ts'
import type { Assortment } from './goods.ts'
import type { Store } from './stores.ts'
import { tripAt } from './trips.ts'

/** Factors of a day; 1 is an ordinary day. */
export type Season = {
  traffic: number
  /** Amounts of baskets, in the weeks of gifts */
  baskets: number
  refunds: number
  overrides: number
  voids: number
}

export const ORDINARY_SEASON: Season = {
  traffic: 1,
  baskets: 1,
  refunds: 1,
  overrides: 1,
  voids: 1,
}

/** Someone with a loyalty card. */
export type Visitor = Pick<Customer, 'id'> & { customer?: Customer }

export type Chain = {
  /** Each day draws from streams of its own, so that it is the same however often it is simulated. */
  random: Random
  stores: readonly Store[]
  customers: readonly Customer[]
  goods: Assortment
  seasonOf: (day: number) => Season
  /** Traffic of the stores by day of the week, from Sunday. */
  weekdays: readonly number[]
  /** The loyal customer of a sale in a store; null when the customer is elsewhere and buys nothing. */
  visitorOf: (random: Random, store: Store, at: number) => Visitor | null | undefined
}

/** Customers of the city, by the number of orders that they place in stores. */
export function createVisitors(
  customers: readonly Customer[],
  stores: readonly Store[],
): Chain['visitorOf'] {
  const locals = new Map(
    stores.map(({ id, city }) => [id, customers.filter((each) => each.city.name === city.name)]),
  )
  return (random, { id, loyal_share }, at) => {
    const nearby = locals.get(id) ?? []
    if (nearby.length === 0 || !random.chance(loyal_share)) return undefined
    const customer = random.weighted(nearby, storeOrdersPerDay)
    const isThere = customer.joined <= at && tripAt(customer.trips, at) === 'home'
    return isThere ? { id: customer.id, customer } : null
  }
}

export const storeOrdersPerDay = ({ orders_per_day, store_share }: Customer): number =>
  orders_per_day * store_share
