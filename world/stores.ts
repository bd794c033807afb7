/**
 * Stores and the people at their tills. No number is measured: they are chosen from what
 * loss-prevention handbooks and vendors report (voids, refunds and overrides around 1 to 2 % of the
 * transactions, service desks with many times the refunds of a till), and every rate differs between
 * stores and between their cashiers.
 */
import type { Random } from '../src/platform/random.ts'
import { type City, near, type Position } from './places.ts'
import { type Span, timeAt, weekdayOf } from './time.ts'

/** Actions per sale. */
export type Rates = { void: number; refund: number; override: number; no_sale: number }

export const THEFT_KINDS = [
  'void_skimming',
  'fake_refunds',
  'no_sale_skimming',
  'sweethearting',
] as const

/**
 * `closing_refunds` are a few refunds and voids at the end of each shift; the other kinds follow the
 * sales.
 */
export type Theft = {
  kind: (typeof THEFT_KINDS)[number] | 'closing_refunds'
  /** The thief's own honest rate is multiplied by this number, theft included. */
  times: number
  from: number
}

export type Cashier = {
  id: string
  /** Works at the service desk when it is this cashier's turn. */
  is_desk: boolean
  /** Days of the week off duty. */
  rest_days: readonly number[]
  is_late: boolean
  /** The cashier always sits at this till; without it, tills are assigned each day. */
  till?: string
  /** Sales per hour, relative to the others. */
  speed: number
  rates: Rates
  theft?: Theft
}

export type StorePlan = {
  id: string
  name: string
  city: City
  position?: Position
  /** Opening hours in local time. */
  opens: number
  closes: number
  closed_on: readonly number[]
  tills: readonly string[]
  /** Each cashier has a till, which can be shared with the other shift. */
  has_fixed_tills?: boolean
  tablet?: string
  sales_per_day: number
  /** Share of the sales to customers with a loyalty card. */
  loyal_share: number
  cash_share: number
  basket_cents: number
  spread: number
  /** Refunds per sale at the service desk; without a desk, all refunds come to the tills. */
  desk_refunds?: number
  /** Ids of the cashiers. */
  cashiers: readonly string[]
  /** Share of the shifts that end with a cash pickup. */
  pickup_share?: number
  /** Times at which the tills have no network. */
  outages?: readonly Span[]
}

export type Store = Omit<StorePlan, 'cashiers'> & {
  position: Position
  cashiers: readonly Cashier[]
  /** Sales of one cashier at a till */
  sales_per_hour: number
}

export type Shift = {
  store: Store
  cashier: Cashier
  till: string
  day: number
  begin: number
  end: number
  is_desk: boolean
}

const RATES: Rates = { void: 0.015, refund: 0.006, override: 0.012, no_sale: 0.02 }
const REFUNDS_WITHOUT_DESK = 0.02
const STORE_SPREAD = 0.3
const CASHIER_SPREAD = 0.2
const DESKS = 2
const SHIFT_HOURS = 8
const WORKING_SHARE = 5 / 7

export function makeStore(random: Random, plan: StorePlan): Store {
  const { city, cashiers, desk_refunds, sales_per_day } = plan
  const refund = desk_refunds === undefined ? REFUNDS_WITHOUT_DESK : RATES.refund
  const rates = spreadRates(random, { ...RATES, refund }, STORE_SPREAD)
  return {
    position: near(random, city, 2),
    ...plan,
    sales_per_hour: sales_per_day / (cashiers.length * WORKING_SHARE * shiftHours(plan)),
    cashiers: cashiers.map((id, index) => {
      const own = random.fork(`cashier ${id}`)
      return {
        id,
        is_desk: desk_refunds !== undefined && index < DESKS,
        rest_days: [(index + 1) % 7, (index + 2 + (index % 3)) % 7],
        is_late: index % 2 === 1,
        ...(plan.has_fixed_tills && { till: tillOf(plan.tills, index) }),
        speed: own.lognormal(0.15),
        rates: spreadRates(own, rates, CASHIER_SPREAD),
      }
    }),
  }
}

const spreadRates = (random: Random, rates: Rates, spread: number): Rates => ({
  void: rates.void * random.lognormal(spread),
  refund: rates.refund * random.lognormal(spread),
  override: rates.override * random.lognormal(spread),
  no_sale: rates.no_sale * random.lognormal(spread),
})

const tillOf = (tills: readonly string[], index: number): string =>
  tills[index < tills.length ? index : 1 - (index % 2)] ?? ''

/** Shorter than the opening hours, so that two shifts overlap; long enough to cover them. */
const shiftHours = ({ opens, closes }: Pick<StorePlan, 'opens' | 'closes'>): number =>
  Math.max(SHIFT_HOURS, (closes - opens) / 2 + 0.25)

/** Half of the cashiers open the store, the other half close it. */
export function shiftsOf(store: Store, day: number): Shift[] {
  const { opens, closes, city, closed_on, cashiers } = store
  const weekday = weekdayOf(day)
  if (closed_on.includes(weekday)) return []
  const hours = shiftHours(store)
  const working = cashiers.filter(({ rest_days }) => !rest_days.includes(weekday))
  return working.map((cashier, index) => {
    const { is_late } = cashier
    const begin = timeAt(city.zone, day, is_late ? closes - hours : opens)
    const end = timeAt(city.zone, day, is_late ? closes : opens + hours)
    const first = working.find((each) => each.is_late === is_late)
    const is_desk = cashier.is_desk && cashier === first
    const till = is_desk
      ? `${store.id}-desk`
      : (cashier.till ?? tillOf(store.tills, index % store.tills.length))
    return { store, cashier, till, day, begin, end, is_desk }
  })
}
