/** What is known of a cashier action, and of an order that a cashier rang up, when it is judged. */
export const ACTION_TYPES = [
  'void',
  'refund',
  'discount_override',
  'price_override',
  'no_sale',
  'cash_drop',
  'cash_pickup',
  'drawer_open',
  'shift_start',
  'shift_end',
] as const
export type ActionType = (typeof ACTION_TYPES)[number]

export type ActionFacts = {
  /** uuid, key of the state of the cashier */
  cashier_id: string
  action_type: ActionType
  edge_device_id: string | undefined
  /** Where the peers are looked for: `locationOfAction` of the states before. */
  location: string
  amount_cents: number | undefined
  performed_at_ms: number
  /** 0-23 by the clock on the wall where it happened */
  local_hour: number
  /** What was found for order_external_id: undefined = none given, null = given but unknown. */
  order: MatchedOrder | null | undefined
}

export type MatchedOrder = {
  cashier: 'same' | 'other' | 'unknown'
  amount_cents: number
  /** ISO 4217, upper case */
  currency: string
  /** By earlier refunds of the same order, without this one. */
  refunded_cents: number
  is_cash: boolean
  ordered_at_ms: number
}

export type SaleFacts = {
  /** uuid, key of the state of the cashier */
  cashier_id: string
  edge_device_id: string | undefined
  location_name: string | undefined
  /** Any id of the profile; undefined for anonymous orders. */
  customer_id: string | undefined
  amount_cents: number
  /** ISO 4217, upper case */
  currency: string
  is_cash: boolean
  /** Whether an item was reduced at the discretion of the cashier (discount_type of the items). */
  discount: 'none' | 'employee' | 'override'
  ordered_at_ms: number
  /** 0-23 by the clock on the wall where it happened */
  local_hour: number
}
