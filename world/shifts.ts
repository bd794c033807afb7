/** A day in a store: the sales of each shift, and the actions of honest and of thieving cashiers. */
import type { Random } from '../src/platform/random.ts'
import type { Chain, Season } from './chain.ts'
import { choose } from './customers.ts'
import {
  type Action,
  actionOf,
  type ChainEvent,
  type CleanKind,
  type Order,
  placeIn,
} from './events.ts'
import { honestBasket } from './goods.ts'
import { type Shift, type Store, shiftsOf } from './stores.ts'
import { closingTheft, theftAtSale } from './thefts.ts'
import { DAY_MS, HOUR_MS, isWithin, MINUTE_MS, weekdayOf } from './time.ts'

/** Cashiers who forget to clock in or out. */
const FORGOTTEN_START = 0.005
const FORGOTTEN_END = 0.02
/** A service desk sells little: exchanges and vouchers. */
const DESK_TRAFFIC = 0.3
const EMPLOYEE_SHARE = 0.01
const KIOSK_SHARE = 0.06

export function storeDay(chain: Chain, store: Store, day: number): ChainEvent[] {
  const season = chain.seasonOf(day)
  const traffic = season.traffic * (chain.weekdays[weekdayOf(day)] ?? 1)
  const shifts = shiftsOf(store, day)
  return shifts.flatMap((shift) => {
    const random = chain.random.fork(`${store.id} ${day} ${shift.cashier.id}`)
    return workShift(random, { chain, shift, season, traffic })
  })
}

type Work = { chain: Chain; shift: Shift; season: Season; traffic: number }

function workShift(random: Random, work: Work): ChainEvent[] {
  const { shift, traffic } = work
  const { store, cashier, begin, end, is_desk } = shift
  const events: ChainEvent[] = []
  if (!random.chance(FORGOTTEN_START)) {
    const clockIn = Math.round(begin - random.between(0, 5) * MINUTE_MS)
    events.push(actionOf(shift, 'shift_start', clockIn))
  }
  const perHour = store.sales_per_hour * cashier.speed * traffic * (is_desk ? DESK_TRAFFIC : 1)
  const pause = () => random.exponential(HOUR_MS / perHour)
  let number = 1
  for (let at = begin + pause(); at < end; at += pause(), number += 1) {
    const sale = sell(random, work, Math.round(at), number)
    if (sale === undefined) continue
    events.push(sale)
    if (sale.sold?.shift === undefined) continue
    events.push(...honestActions(random, work, sale), ...theftAtSale(random, sale, shift))
  }
  events.push(...closingTheft(random, shift))
  if (random.chance(store.pickup_share ?? 0)) {
    const amount_cents = random.integer(10, 60) * 1_000
    events.push(actionOf(shift, 'cash_pickup', end - 8 * MINUTE_MS, { amount_cents }))
  }
  if (!random.chance(FORGOTTEN_END)) {
    const clockOut = Math.round(end + random.between(0, 8) * MINUTE_MS)
    events.push(actionOf(shift, 'shift_end', clockOut))
  }
  return events
}

function sell(random: Random, work: Work, at: number, number: number): Order | undefined {
  const { chain, shift, season } = work
  const { store, cashier } = shift
  const visitor = chain.visitorOf(random, store, at)
  if (visitor === null) return undefined
  const isKiosk = store.tablet !== undefined && random.chance(KIOSK_SHARE)
  const goal = store.basket_cents * random.lognormal(store.spread) * season.baskets
  const known = visitor?.customer
  const overrides = cashier.rates.override * season.overrides
  const isEmployee = random.chance(EMPLOYEE_SHARE)
  const outage = store.outages?.find((span) => isWithin(span, at))
  const edge_device = isKiosk ? store.tablet : shift.till
  return {
    type: 'order',
    at,
    day: shift.day,
    number,
    arrives: Math.max(at, outage?.end ?? 0),
    truth: { is_fraud: false, kind: kindOf(isKiosk, known !== undefined) },
    channel: 'in_store',
    ...(known
      ? honestBasket(random, chain.goods, known, season.baskets)
      : chain.goods(random, goal)),
    ...placeIn(store.city, store.position),
    customer: isEmployee ? `${store.id} employee ${random.integer(1, 8)}` : visitor?.id,
    payment: known?.pays_in_store ?? cashOrCard(random, store),
    device: isKiosk ? `browser-${store.tablet}` : undefined,
    address: isKiosk ? `line-${store.id}` : undefined,
    sold: { store, edge_device: edge_device ?? '', ...(!isKiosk && { shift }) },
    discount: isEmployee ? 'employee' : random.chance(overrides) ? 'override' : 'none',
  }
}

const kindOf = (isKiosk: boolean, isKnown: boolean): CleanKind =>
  isKiosk ? 'kiosk' : isKnown ? 'till_loyalty' : 'till_anonymous'

const cashOrCard = (random: Random, { cash_share }: Store) =>
  random.chance(cash_share) ? 'cash' : choose(random, { card: 55, mobile: 15 })

function honestActions(random: Random, work: Work, sale: Order): Action[] {
  const { shift, season } = work
  const { store, is_desk, cashier } = shift
  const { at, amount_cents } = sale
  const actions: Action[] = []
  const add = (action: Action['action'], later_s: number, details?: Partial<Action>) =>
    actions.push(actionOf(shift, action, Math.round(at + later_s * 1_000), details))
  if (sale.discount === 'override') {
    const reduction = Math.round(amount_cents * random.between(0.05, 0.25))
    const type = random.chance(0.5) ? 'discount_override' : 'price_override'
    add(type, 0, { amount_cents: reduction })
  }
  if (random.chance(cashier.rates.void * season.voids)) {
    // Half of the mistakes show while the customer is still there.
    const later_s = random.chance(0.5) ? random.between(10, 100) : random.between(130, 900)
    add('void', later_s, { amount_cents, sale })
    // A second line of the same mistake, or a drawer that is opened to return the money.
    if (random.chance(0.05)) add('void', later_s + 30, { amount_cents, sale })
    if (sale.payment === 'cash' && random.chance(0.1)) add('no_sale', later_s + 20)
  }
  if (random.chance(cashier.rates.no_sale)) add('no_sale', 60)
  const atDesk = is_desk ? store.desk_refunds : undefined
  const refunds = atDesk === undefined ? cashier.rates.refund : atDesk / DESK_TRAFFIC
  for (let left = random.poisson(refunds * season.refunds); left > 0; left -= 1) {
    add('refund', random.between(30, 240), honestRefund(random, work, at))
  }
  return actions
}

/** Most refunds name their order, some name none, and a few one that the service does not know. */
function honestRefund(random: Random, { chain, shift }: Work, at: number): Partial<Action> {
  const { store } = shift
  const goal = 0.7 * store.basket_cents * random.lognormal(store.spread)
  const { amount_cents } = chain.goods(random, goal)
  const how = random.uniform()
  if (how < 0.12) return { amount_cents }
  if (how < 0.15) return { amount_cents, receipt: null }
  const receipt = {
    cashier: random.chance(0.15) ? ('same' as const) : ('other' as const),
    amount_cents: random.chance(0.5) ? amount_cents : Math.round(amount_cents * 1.8),
    is_cash: random.chance(store.cash_share),
    ordered_at_ms: Math.round(at - random.exponential(9) * DAY_MS),
  }
  return { amount_cents, receipt }
}
