/** A day in a shop: who works at which till, what is sold there, and what cashiers do besides. */
import type { CashierRequest } from '../../src/modules/cashier/schema.ts'
import type { Random } from '../../src/platform/random.ts'
import { fillBasket } from './baskets.ts'
import type { Customer } from './customers.ts'
import type { StoryEvent } from './event.ts'
import { cashierIdOf, type Shop, tillOf } from './shops.ts'
import { type Shift, steal } from './thief.ts'
import { dayText, MINUTE_MS, timeAt, weekdayOf } from './wall-clock.ts'

export type ShopDay = {
  shop: Shop
  /** Midnight in UTC. */
  day: number
  /** Of the month, 0 to 1. */
  passed: number
  scale: number
  customers: readonly Customer[]
}

const RATES = { void: 0.014, refund: 0.012, no_sale: 0.02, override: 0.012 } as const
const LOYAL_SHARE = 0.35
/** Sunday to Saturday. */
const TRAFFIC = [0.7, 0.8, 0.85, 0.9, 1, 1.35, 1.4] as const
const OVERLAP_HOURS = 0.5

export function liveDay(random: Random, day: ShopDay): StoryEvent[] {
  if (day.shop.closed_on.includes(weekdayOf(day.day))) return []
  return shiftsOf(random, day).flatMap((shift) => liveShift(random.fork(shift.cashier), day, shift))
}

/** Half of the cashiers come early and half late; each has two days off a week. */
export function shiftsOf(random: Random, { shop, day, passed }: ShopDay): Shift[] {
  const middle = (shop.opens + shop.closes) / 2
  const weekday = weekdayOf(day)
  const atWork = shop.cashiers.filter((_, index) => {
    const rest = [index % 7, (index + 3) % 7]
    return !rest.includes(weekday)
  })
  const early = atWork.filter((name) => shop.cashiers.indexOf(name) % 2 === 0)
  const late = atWork.filter((name) => shop.cashiers.indexOf(name) % 2 === 1)
  const at = (hour: number) => timeAt(shop.zone, day, hour) + random.integer(0, 3) * MINUTE_MS
  const shiftOf = (name: string, [begin, end]: [number, number]): Shift => ({
    shop,
    name,
    cashier: cashierIdOf(shop, name),
    till: tillNumber(shop, name),
    begin: at(begin) - 5 * MINUTE_MS,
    end: at(end),
    is_late: end === shop.closes,
    passed,
  })
  return [
    ...early.map((name) => shiftOf(name, [shop.opens, middle + OVERLAP_HOURS])),
    ...late.map((name) => shiftOf(name, [middle, shop.closes])),
  ]
}

/** People sit where they always sit; who has no till of their own shares that of the other shift. */
function tillNumber(shop: Shop, name: string): number {
  const index = shop.cashiers.indexOf(name)
  if (index < shop.tills) return index + 1
  return index % 2 === 1 ? 1 : 2
}

function liveShift(random: Random, day: ShopDay, shift: Shift): StoryEvent[] {
  const { shop } = day
  const events: StoryEvent[] = [actionOf(shift, shift.begin, { action_type: 'shift_start' })]
  const shifts = Math.max(2, shop.cashiers.length * (5 / 7))
  const sales = random.poisson(
    (shop.sales_per_day * (TRAFFIC[weekdayOf(day.day)] ?? 1) * day.scale) / shifts,
  )
  const times = Array.from({ length: sales }, () =>
    Math.round(random.between(shift.begin + 5 * MINUTE_MS, shift.end - MINUTE_MS)),
  )
  for (const [index, at] of times.toSorted((a, b) => a - b).entries()) {
    events.push(...sell(random, { day, shift, at, number: index + 1 }))
  }
  events.push(...steal(random, shift))
  if (random.chance(0.4)) {
    const amount_cents = random.integer(10, 60) * 1000
    events.push(
      actionOf(shift, shift.end - 8 * MINUTE_MS, { action_type: 'cash_pickup', amount_cents }),
    )
  }
  const clockedOut = shift.end + random.integer(1, 7) * MINUTE_MS
  events.push(actionOf(shift, clockedOut, { action_type: 'shift_end' }))
  return events
}

type Sale = { day: ShopDay; shift: Shift; at: number; number: number }

function sell(random: Random, { day, shift, at, number }: Sale): StoryEvent[] {
  const { shop, customers } = day
  const isOverride = random.chance(RATES.override)
  const goal = shop.basket_cents * random.lognormal(shop.basket_spread)
  const basket = fillBasket(random, goal, isOverride ? 'override' : 'none')
  const local = customers.filter((customer) => customer.shop === shop)
  const isLoyal = local.length > 0 && random.chance(LOYAL_SHARE)
  const customer = isLoyal ? random.pick(local) : undefined
  const isCash = random.chance(shop.cash_share)
  const external_order_id = `${saleIdOf(shift, day.day)}-${String(number).padStart(3, '0')}`
  const sale: StoryEvent = {
    at,
    truth: 'honest',
    kind: 'order',
    order: {
      external_order_id,
      ...(customer && { external_id: customer.id }),
      ...basket,
      currency: shop.currency,
      order_type: 'in_store',
      payment_method: customer?.pays_in_store ?? (isCash ? 'cash' : 'card'),
      location_latitude: shop.latitude,
      location_longitude: shop.longitude,
      location_country: shop.country,
      location_city: shop.city,
      location_name: shop.name,
      edge_device_id: tillOf(shop, shift.till),
      cashier_external_id: shift.cashier,
      ordered_at: new Date(at).toISOString(),
    },
  }
  return [sale, ...besides(random, shift, sale.order, { at, isOverride })]
}

/** What honest people do around a sale. */
function besides(
  random: Random,
  shift: Shift,
  { external_order_id, amount_cents }: { external_order_id: string; amount_cents: number },
  { at, isOverride }: { at: number; isOverride: boolean },
): StoryEvent[] {
  const events: StoryEvent[] = []
  const later = (low: number, high: number) =>
    Math.round(at + random.between(low, high) * MINUTE_MS)
  if (isOverride) {
    const given = Math.round(amount_cents * 0.15)
    events.push(
      actionOf(shift, at - 20_000, {
        action_type: 'price_override',
        amount_cents: given,
        reason: 'Damaged packaging',
      }),
    )
  }
  if (random.chance(RATES.void)) {
    const reason = random.pick(['Scanned twice', 'Customer changed their mind', 'Wrong item'])
    events.push(
      actionOf(shift, later(3, 12), {
        action_type: 'void',
        amount_cents,
        order_external_id: external_order_id,
        reason,
      }),
    )
  }
  if (random.chance(RATES.refund)) {
    const part = Math.max(99, Math.round(amount_cents * random.between(0.2, 0.9)))
    events.push(
      actionOf(shift, later(15, 90), {
        action_type: 'refund',
        amount_cents: part,
        order_external_id: external_order_id,
        reason: 'Returned with receipt',
      }),
    )
  }
  if (random.chance(RATES.no_sale))
    events.push(actionOf(shift, later(1, 4), { action_type: 'no_sale', reason: 'Change' }))
  return events.filter((event) => event.at < shift.end)
}

const saleIdOf = (shift: Shift, day: number): string =>
  `${shift.shop.id.slice(0, 2).toUpperCase()}${shift.shop.cashiers.indexOf(shift.name) + 1}-${dayText(day)}${shift.is_late ? 'L' : 'E'}`

function actionOf(
  { shop, cashier, till }: Shift,
  at: number,
  what: Omit<CashierRequest, 'cashier_external_id' | 'edge_device_id' | 'performed_at'>,
): StoryEvent {
  const action: CashierRequest = {
    cashier_external_id: cashier,
    edge_device_id: tillOf(shop, till),
    ...what,
    performed_at: new Date(at).toISOString(),
  }
  return { at, truth: 'honest', kind: 'action', action }
}
