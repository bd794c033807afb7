/**
 * Everything that is known of an order when it is scored, in the form that the rules read.
 */
export type OrderFacts = {
  /** uuid; undefined for anonymous orders. A profile that the order creates is a customer. */
  profile_id: string | undefined
  /** Integer from 0 */
  amount_cents: number
  /** ISO 4217, upper case */
  currency: string
  order_type: 'online' | 'in_store' | 'phone' | 'other' | undefined
  payment_method: 'card' | 'cash' | 'mobile' | 'crypto' | 'other' | undefined
  item_count: number | undefined
  items: readonly ItemFacts[]
  /** Both or neither */
  latitude: number | undefined
  longitude: number | undefined
  /** ISO 3166 alpha-2 when the name is known, else the name in lower case */
  country: string | undefined
  location_name: string | undefined
  edge_device_id: string | undefined
  fingerprint_hash: string | undefined
  ip_hash: string | undefined
  cashier_external_id: string | undefined
  /** ms since 1970, as told */
  ordered_at_ms: number
  /** 0-23 by the clock on the wall where it happened */
  local_hour: number
  /** Judged at arrival from the shared reputation, 0-100; 0 = nothing known */
  reputation: { device: number; ip: number; profile: number }
  /** Strongest recent check of the same device, 0-100; 0 = none */
  check_risk: number
}

export type ItemFacts = {
  quantity: number
  unit_price_cents: number
  total_price_cents: number
  /** 0 when none is told */
  discount_cents: number
  discount_type: 'none' | 'percentage' | 'fixed' | 'override' | 'employee' | undefined
}
