/** Northwind Supermarkets: the six stores, their customers and the thief. */
import { createRandom, type Random } from '../../src/platform/random.ts'
import { type Chain, createVisitors, ORDINARY_SEASON } from '../../world/chain.ts'
import { type Customer, makeCustomers } from '../../world/customers.ts'
import { groceries } from '../../world/goods.ts'
import { makeStore, type Store } from '../../world/stores.ts'
import { DAY_MS, startOfDay } from '../../world/time.ts'
import type { StoryOptions } from './event.ts'
import { inventPerson, type Person } from './names.ts'
import { cashierIdOf, type DemoStore, STORES, THIEF, tillOf } from './stores.ts'

export type Shopper = Customer & Person

/** `homes`: the home country of each customer by id */
export type Northwind = Chain & {
  customers: readonly Shopper[]
  homes: ReadonlyMap<string, string>
}

const CUSTOMERS = 1_800
const CUSTOMERS_MIN = 40

export function createNorthwind({ seed, end, days, scale }: StoryOptions): Northwind {
  const random = createRandom(seed, 'northwind')
  const start = startOfDay(end - days * DAY_MS)
  const stores = STORES.map((store) => openStore(random.fork(store.id), store, scale))
  const thefts_from = start + THIEF.from_share * days * DAY_MS
  const count = Math.max(CUSTOMERS_MIN, Math.round(CUSTOMERS * scale))
  const customers = makeCustomers(random.fork('customers'), {
    count,
    homes: stores.map(({ city }) => city),
    start,
    days,
  }).map((customer) => {
    const own = random.fork(`person ${customer.index}`)
    return { ...customer, ...inventPerson(own, customer.index, customer.city.country) }
  })
  return {
    random,
    stores: stores.map((store) => withThief(store, thefts_from)),
    customers,
    homes: new Map(customers.map(({ id, city }) => [id, city.country])),
    goods: groceries,
    seasonOf: () => ORDINARY_SEASON,
    weekdays: [0.7, 0.8, 0.85, 0.9, 1, 1.35, 1.4],
    visitorOf: createVisitors(customers, stores),
  }
}

function openStore(random: Random, store: DemoStore, scale: number): Store {
  const { id, name, position, country, zone, hours, sales } = store
  return makeStore(random, {
    ...hours,
    ...sales,
    id,
    name,
    city: { ...position, name: store.city, country, zone, weight: sales.per_day },
    position,
    tills: Array.from({ length: store.tills }, (_, index) => tillOf(store, index + 1)),
    has_fixed_tills: true,
    sales_per_day: sales.per_day * scale,
    loyal_share: 0.35,
    cashiers: store.cashiers.map((each) => cashierIdOf(store, each)),
    pickup_share: 0.4,
  })
}

function withThief(store: Store, from: number): Store {
  if (store.id !== THIEF.store_id) return store
  const thief = cashierIdOf(store, THIEF.cashier)
  const theft = { kind: 'closing_refunds', times: 1, from } as const
  const cashiers = store.cashiers.map((each) => (each.id === thief ? { ...each, theft } : each))
  return { ...store, cashiers }
}
