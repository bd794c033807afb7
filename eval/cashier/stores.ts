/** A chain of stores with honest cashiers and thieves, for the evaluation of the cashier rules. */
import type { Random } from '../../src/platform/random.ts'
import { type Chain, ORDINARY_SEASON, type Season } from '../../world/chain.ts'
import type { Assortment } from '../../world/goods.ts'
import { HOME_CITIES } from '../../world/places.ts'
import { makeStore, type Store, THEFT_KINDS } from '../../world/stores.ts'
import { DAY_MS } from '../../world/time.ts'

export const STORES = 40
const CASHIERS_PER_STORE = 8
const TILLS_PER_STORE = 4
export const TIMES = [1.5, 2, 4] as const
/** A Monday. */
export const FIRST_DAY_MS = Date.UTC(2026, 7, 3)
/** 18 sales per hour of a cashier: eight of them work eight hours on five days of seven. */
const SALES_PER_DAY = (18 * CASHIERS_PER_STORE * 8 * 5) / 7
const LOYAL_SHARE = 0.4
const LOYAL_CUSTOMERS = 3_000

export function createCashierChain(
  random: Random,
  { stores, thefts_from_day }: { stores: number; thefts_from_day: number },
): Chain {
  return {
    random,
    stores: Array.from({ length: stores }, (_, index) =>
      createStore(random.fork(`store ${index}`), index, thefts_from_day),
    ),
    customers: [],
    goods: roundedPrices,
    seasonOf,
    weekdays: [0.7, 1, 1, 1, 1, 1, 1.4],
    visitorOf: (own, { name, loyal_share }) =>
      own.chance(loyal_share)
        ? { id: `${name} customer ${own.integer(1, LOYAL_CUSTOMERS)}` }
        : undefined,
  }
}

function createStore(random: Random, index: number, theftsFromDay: number): Store {
  const id = `${index + 1}`
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${id}-${at + 1}`)
  const store = makeStore(random, {
    id,
    name: `Store ${id}`,
    city: HOME_CITIES[index % HOME_CITIES.length] ?? random.pick(HOME_CITIES),
    opens: 8,
    closes: 21,
    closed_on: [],
    tills: numbered(TILLS_PER_STORE),
    sales_per_day: SALES_PER_DAY * random.lognormal(0.25),
    loyal_share: LOYAL_SHARE,
    cash_share: random.between(0.2, 0.45),
    basket_cents: 0.8 * 2_600 * random.lognormal(0.3),
    spread: 0.7,
    ...(index % 4 !== 3 && { desk_refunds: 0.4 * random.lognormal(0.3) }),
    cashiers: numbered(CASHIERS_PER_STORE),
  })
  // Every tenth store is honest, the others go through the combinations.
  if (index % 10 === 9) return store
  const combination = index - Math.floor(index / 10)
  const theft = {
    kind: THEFT_KINDS[combination % THEFT_KINDS.length] ?? 'void_skimming',
    times: TIMES[Math.floor(combination / THEFT_KINDS.length) % TIMES.length] ?? 1,
    from: FIRST_DAY_MS + (theftsFromDay + random.integer(0, 13)) * DAY_MS,
  }
  const cashiers = store.cashiers.map((each, at) => (at === 2 ? { ...each, theft } : each))
  return { ...store, cashiers }
}

/**
 * Totals of prices that end in 9 or 5 as a rule; about one in fifty is a multiple of ten, and one of
 * five.
 */
const roundedPrices: Assortment = (random, goal_cents) => {
  const goal = Math.max(99, goal_cents)
  const amount_cents = random.chance(0.02)
    ? Math.max(1_000, Math.round(goal / 1_000) * 1_000)
    : random.chance(0.02)
      ? Math.max(500, Math.round(goal / 500) * 500)
      : Math.round(goal / 10) * 10 + (random.chance(0.7) ? 9 : 5)
  return { amount_cents, item_count: 1, items: [] }
}

/** A sale of two weeks, and the week of returns after it. */
function seasonOf(at: number): Season {
  const day = (at - FIRST_DAY_MS) / DAY_MS
  if (day >= 60 && day < 74) return { ...ORDINARY_SEASON, traffic: 1.8, overrides: 1.5, voids: 1.2 }
  if (day >= 74 && day < 82) return { ...ORDINARY_SEASON, traffic: 1.1, refunds: 2.5 }
  return ORDINARY_SEASON
}
