import type { ListMatch } from '../../risk/index.ts'

/** Facts about a cashier action, and about an order that a cashier rang up, when it is scored. */
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
  /** UUID, the key of the cashier's state. */
  cashier_id: string
  action_type: ActionType
  edge_device_id: string | undefined
  /** Location of the peers: `locationOfAction` of the states before the action. */
  location: string
  amount_cents: number | undefined
  performed_at_ms: number
  /** Local hour at the location, 0-23. */
  local_hour: number
  /** Order of order_external_id: undefined when none was sent, null when it is unknown. */
  order: MatchedOrder | null | undefined
  /** Entries of the organization's lists that the action matched at arrival; absent without any. */
  lists?: readonly ListMatch[]
  /** What only custom rules read. */
  cashier_external_id?: string
  reason?: string | undefined
}

export type MatchedOrder = {
  cashier: 'same' | 'other' | 'unknown'
  amount_cents: number
  /** ISO 4217, upper case */
  currency: string
  /** Sum of earlier refunds of the same order, without this one. */
  refunded_cents: number
  is_cash: boolean
  ordered_at_ms: number
}

export type SaleFacts = {
  /** UUID, the key of the cashier's state. */
  cashier_id: string
  edge_device_id: string | undefined
  location_name: string | undefined
  /** Id of the profile; undefined for anonymous orders. */
  customer_id: string | undefined
  amount_cents: number
  /** ISO 4217, upper case */
  currency: string
  is_cash: boolean
  /** Discount at the discretion of the cashier (discount_type of the items). */
  discount: 'none' | 'employee' | 'override'
  ordered_at_ms: number
  /** Local hour at the location, 0-23. */
  local_hour: number
}
