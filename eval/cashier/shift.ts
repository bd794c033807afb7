/** What one cashier does in one shift: sales, and actions that are honest or are not. */
import type {
  ActionFacts,
  ActionType,
  MatchedOrder,
  SaleFacts,
} from '../../src/modules/cashier/index.ts'
import type { Random } from '../../src/platform/random.ts'
import type { Season } from './day.ts'
import { createTheft } from './thefts.ts'
import type { Cashier, Store } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export type Event =
  | { at: number; cashier: Cashier; type: 'sale'; facts: SaleFacts }
  | { at: number; cashier: Cashier; type: 'action'; facts: Omit<ActionFacts, 'location'> }

export type Shift = {
  store: Store
  cashier: Cashier
  day: number
  begin: number
  hours: number
  is_desk: boolean
  till: string
  traffic: number
  season: Season
}

/** Of all shifts; the cashier works on without having clocked in, or goes home without clocking out. */
const FORGOTTEN_START = 0.005
const FORGOTTEN_END = 0.02
const CURRENCY = 'EUR'

export function createShift(random: Random, shift: Shift): Event[] {
  const { cashier, begin, hours } = shift
  const end = begin + hours * HOUR_MS
  const events: Event[] = []
  if (!random.chance(FORGOTTEN_START)) events.push(action(shift, 'shift_start', begin))
  const perHour = shift.store.orders_per_hour * cashier.speed * shift.traffic
  // A desk sells little: exchanges, vouchers.
  const mean = HOUR_MS / (shift.is_desk ? perHour * 0.3 : perHour)
  for (let at = begin + random.exponential(mean); at < end; at += random.exponential(mean)) {
    const sale = createSale(random, shift, at)
    events.push(sale)
    events.push(...honestActions(random, shift, at, sale))
    events.push(...createTheft(random, shift, at, sale))
  }
  if (!random.chance(FORGOTTEN_END)) {
    events.push(action(shift, 'shift_end', end + random.between(0, 8) * MINUTE_MS))
  }
  return events
}

type Sale = Extract<Event, { type: 'sale' }>

function createSale(random: Random, shift: Shift, at: number): Sale {
  const { store, cashier } = shift
  const isLoyal = random.chance(0.4)
  const overrideRate = cashier.rates.override * shift.season.overrides
  const discount = random.chance(0.01)
    ? 'employee'
    : random.chance(overrideRate)
      ? 'override'
      : 'none'
  const employee = `employee ${store.name} ${random.integer(1, 8)}`
  const customer = isLoyal ? `${store.name} customer ${random.integer(1, 3000)}` : undefined
  return {
    at,
    cashier,
    type: 'sale',
    facts: {
      cashier_id: cashier.id,
      edge_device_id: shift.till,
      location_name: store.name,
      customer_id: discount === 'employee' ? employee : customer,
      amount_cents: priceOf(random, store.mean_amount_cents),
      currency: CURRENCY,
      is_cash: random.chance(store.cash_share),
      discount,
      ordered_at_ms: Math.round(at),
      local_hour: hourOf(at),
    },
  }
}

function honestActions(random: Random, shift: Shift, at: number, sale: Sale): Event[] {
  const { rates } = shift.cashier
  const { season, store } = shift
  const events: Event[] = []
  const amount_cents = sale.facts.amount_cents
  if (sale.facts.discount === 'override') {
    const given = Math.round(amount_cents * random.between(0.05, 0.25))
    const type = random.chance(0.5) ? 'discount_override' : 'price_override'
    events.push(action(shift, type, at, { amount_cents: given }))
  }
  if (random.chance(rates.void * season.voids)) {
    // Half of the mistakes show while the customer is still there.
    const later = (random.chance(0.5) ? random.between(10, 100) : random.between(130, 900)) * 1000
    events.push(action(shift, 'void', at + later, { amount_cents }))
    // A second line of the same mistake; a drawer opened to hand the money back.
    if (random.chance(0.05))
      events.push(action(shift, 'void', at + later + 30_000, { amount_cents }))
    if (sale.facts.is_cash && random.chance(0.1)) {
      events.push(action(shift, 'no_sale', at + later + 20_000))
    }
  }
  if (random.chance(rates.no_sale)) events.push(action(shift, 'no_sale', at + 60_000))
  const refunds = shift.is_desk ? store.desk_refunds / 0.3 : rates.refund
  for (let left = random.poisson(refunds * season.refunds); left > 0; left -= 1) {
    events.push(honestRefund(random, shift, at + random.between(30, 240) * 1000))
  }
  return events
}

/** Most with their receipt; some without, a few with one that the service never heard of. */
function honestRefund(random: Random, shift: Shift, at: number): Event {
  const amount_cents = priceOf(random, shift.store.mean_amount_cents * 0.7)
  const how = random.uniform()
  if (how < 0.12) return action(shift, 'refund', at, { amount_cents })
  if (how < 0.15) return action(shift, 'refund', at, { amount_cents, order: null })
  const order: MatchedOrder = {
    cashier: random.chance(0.15) ? 'same' : 'other',
    amount_cents: random.chance(0.5) ? amount_cents : Math.round(amount_cents * 1.8),
    currency: CURRENCY,
    refunded_cents: 0,
    is_cash: random.chance(shift.store.cash_share),
    ordered_at_ms: Math.round(at - random.exponential(9) * 24 * HOUR_MS),
  }
  return action(shift, 'refund', at, { amount_cents, order })
}

/** Sums of prices that end in 9 or 5 as a rule; about one in fifty is a multiple of ten. */
function priceOf(random: Random, meanCents: number): number {
  const raw = Math.max(99, meanCents * random.lognormal(0.7) * 0.8)
  if (random.chance(0.02)) return Math.max(1000, Math.round(raw / 1000) * 1000)
  if (random.chance(0.02)) return Math.max(500, Math.round(raw / 500) * 500)
  return Math.round(raw / 10) * 10 + (random.chance(0.7) ? 9 : 5)
}

export function action(
  shift: Shift,
  action_type: ActionType,
  at: number,
  more: { amount_cents?: number; order?: MatchedOrder | null } = {},
): Event {
  return {
    at,
    cashier: shift.cashier,
    type: 'action',
    facts: {
      cashier_id: shift.cashier.id,
      action_type,
      edge_device_id: shift.till,
      amount_cents: more.amount_cents,
      performed_at_ms: Math.round(at),
      local_hour: hourOf(at),
      order: more.order,
    },
  }
}

const hourOf = (at: number): number => new Date(at).getUTCHours()
