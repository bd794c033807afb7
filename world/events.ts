/**
 * Orders and actions in the chain, each with the truth about it, which the service does not get to see.
 */
import type { ActionType, MatchedOrder } from '../src/modules/cashier/index.ts'
import type { Payment } from './customers.ts'
import type { Basket } from './goods.ts'
import type { City, Position } from './places.ts'
import type { Shift, Store } from './stores.ts'
import { startOfDay, type Zone } from './time.ts'

export const SCENARIOS = [
  'velocity_burst',
  'impossible_travel',
  'device_farm',
  'account_takeover',
  'odd_hours',
  'card_testing',
] as const
export type Scenario = (typeof SCENARIOS)[number]

/** Kinds of honest orders, which suffer from false alarms in different ways. */
export const CLEAN_KINDS = [
  'at_home',
  'traveling',
  'business',
  'subscription',
  'till_loyalty',
  'till_anonymous',
  'kiosk',
  'guest',
] as const
export type CleanKind = (typeof CLEAN_KINDS)[number]

export type Truth =
  | { is_fraud: false; kind: CleanKind }
  | { is_fraud: true; scenario: Scenario; variant: string; episode: number }

/**
 * The place of an order as the service learns of it, which can be incomplete or wrong, and the zone of
 * its clock.
 */
export type Place = {
  zone: Zone
  position?: Position | undefined
  country?: string | undefined
  city?: string | undefined
}

/** A sale in a store. Orders from the tablet of a store have no cashier. */
export type Sold = { store: Store; edge_device: string; shift?: Shift }

export type Order = Basket &
  Place & {
    type: 'order'
    at: number
    /** The calendar day, and the number within the shift or within the web shop on this day. */
    day: number
    number: number
    /** Time at which the service receives it; later than `at` when a store was offline. */
    arrives: number
    truth: Truth
    channel: 'online' | 'in_store' | 'phone' | 'other'
    payment: Payment
    /** undefined for guests and for sales without a loyalty card */
    customer?: string | undefined
    device?: string | undefined
    address?: string | undefined
    sold?: Sold
    discount?: 'none' | 'employee' | 'override'
  }

/** The order that a refund names. */
export type Receipt = Omit<MatchedOrder, 'currency' | 'refunded_cents'>

export type Action = {
  type: 'action'
  at: number
  shift: Shift
  action: ActionType
  is_theft: boolean
  amount_cents?: number
  /** The sale that is voided. */
  sale?: Order
  /** undefined: a refund names no order; null: it names one that the service does not know */
  receipt?: Receipt | null
}

export type ChainEvent = Order | Action

export const actionOf = (
  shift: Shift,
  action: ActionType,
  at: number,
  details: Partial<Action> = {},
): Action => ({ type: 'action', at, shift, action, is_theft: false, ...details })

type Defaults = Pick<Order, 'type' | 'arrives' | 'day' | 'number' | 'channel'>
export type OrderDetails = Omit<Order, keyof Defaults> & Partial<Defaults>

/**
 * An order of the web shop, unless the details say otherwise, which is received immediately and numbered
 * later.
 */
export const orderOf = (order: OrderDetails): Order => ({
  type: 'order',
  arrives: order.at,
  day: startOfDay(order.at),
  number: 0,
  channel: 'online',
  ...order,
})

/** An order whose city is known, and maybe its position. */
export const placeIn = ({ name, country, zone }: City, position?: Position): Place => ({
  zone,
  position,
  country,
  city: name,
})
