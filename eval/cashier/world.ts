/**
 * A made-up chain of shops for the evaluation of the cashier rules. None of its numbers is measured:
 * they are chosen from what loss-prevention handbooks and vendors report (voids, refunds and
 * overrides around 1 to 2 % of transactions, service desks with many times the refunds of a till),
 * with every rate differing between shops and between the people in them.
 */
import type { Random } from '../../src/platform/random.ts'

export const STORES = 40
export const CASHIERS_PER_STORE = 8

export type Rates = {
  void: number
  refund: number
  override: number
  no_sale: number
}

export type Theft = {
  kind: 'void_skimming' | 'fake_refunds' | 'no_sale_skimming' | 'sweethearting'
  /** How many times the own honest rate, theft included. */
  times: number
  from_day: number
}

export type Cashier = {
  id: string
  /** Works at the service desk when it is this one's turn. */
  is_desk: boolean
  /** Works on these days of the week, early or late. */
  rest_days: readonly [number, number]
  is_late: boolean
  speed: number
  rates: Rates
  theft: Theft | undefined
  /** Whom discounts are given to by agreement. */
  accomplices: readonly string[]
}

export type Store = {
  name: string
  has_desk: boolean
  orders_per_hour: number
  cash_share: number
  mean_amount_cents: number
  /** Refunds per order at the service desk. */
  desk_refunds: number
  cashiers: Cashier[]
}

const RATES: Rates = { void: 0.015, refund: 0.006, override: 0.012, no_sale: 0.02 }
/** Where there is no desk, all refunds come to the tills. */
const REFUNDS_WITHOUT_DESK = 0.02
const STORE_SPREAD = 0.3
const CASHIER_SPREAD = 0.2

const KINDS: readonly Theft['kind'][] = [
  'void_skimming',
  'fake_refunds',
  'no_sale_skimming',
  'sweethearting',
]
export const TIMES = [1.5, 2, 4] as const

/** @param firstTheftDay thefts begin in the two weeks after it, one thief in a shop */
export function createStores(random: Random, stores: number, firstTheftDay: number): Store[] {
  return Array.from({ length: stores }, (_, index) => {
    const store = createStore(random.fork(`store ${index}`), index)
    const thefts = KINDS.length * TIMES.length
    // Every tenth shop is honest.
    const honest = index % 10 === 9
    const combination = (index - Math.floor(index / 10)) % thefts
    const kind = KINDS[combination % KINDS.length]
    const times = TIMES[Math.floor(combination / KINDS.length)]
    const thief = store.cashiers[2]
    if (!honest && thief !== undefined && kind !== undefined && times !== undefined) {
      thief.theft = { kind, times, from_day: firstTheftDay + random.integer(0, 13) }
    }
    return store
  })
}

function createStore(random: Random, index: number): Store {
  const has_desk = index % 4 !== 3
  const rates: Rates = {
    void: RATES.void * random.lognormal(STORE_SPREAD),
    refund: (has_desk ? RATES.refund : REFUNDS_WITHOUT_DESK) * random.lognormal(STORE_SPREAD),
    override: RATES.override * random.lognormal(STORE_SPREAD),
    no_sale: RATES.no_sale * random.lognormal(STORE_SPREAD),
  }
  return {
    name: `Store ${index + 1}`,
    has_desk,
    orders_per_hour: 18 * random.lognormal(0.25),
    cash_share: random.between(0.2, 0.45),
    mean_amount_cents: Math.round(2600 * random.lognormal(0.3)),
    desk_refunds: 0.4 * random.lognormal(0.3),
    cashiers: Array.from({ length: CASHIERS_PER_STORE }, (_, at) =>
      createCashier(random.fork(`cashier ${at}`), `${index + 1}-${at + 1}`, at, has_desk, rates),
    ),
  }
}

function createCashier(
  random: Random,
  id: string,
  at: number,
  hasDesk: boolean,
  rates: Rates,
): Cashier {
  const own = (rate: number) => rate * random.lognormal(CASHIER_SPREAD)
  return {
    id,
    is_desk: hasDesk && at < 2,
    rest_days: [at % 7, (at + 1 + (at % 3)) % 7],
    is_late: at % 2 === 1,
    speed: random.lognormal(0.15),
    rates: {
      void: own(rates.void),
      refund: own(rates.refund),
      override: own(rates.override),
      no_sale: own(rates.no_sale),
    },
    theft: undefined,
    accomplices: [`${id} friend`, `${id} cousin`],
  }
}
