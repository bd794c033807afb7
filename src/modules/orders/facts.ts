/** Turns a submitted order and its context into the facts that are scored. */

import type { LocalHours } from '../../platform/local-time.ts'
import type { ListMatch } from '../risk/index.ts'
import type { Countries } from './countries.ts'
import type { Positions } from './positions.ts'
import type { OrderRequest } from './schema.ts'
import type { ItemFacts, OrderFacts } from './scoring/facts.ts'

/**
 * Facts that do not come from the request alone. Stored with the order so that it can be scored
 * again.
 */
export type OrderContext = {
  local_hour: number
  /** ISO 3166 alpha-2, or the lowercased name of an unknown country. */
  country?: string
  /** Present when the coordinates lie far outside of the country. */
  is_outside_country?: true
  /** Reputation scores of 0-100; absent when all are 0. */
  reputation?: OrderFacts['reputation']
  check_risk?: number
  /** Absent without a match. */
  lists?: readonly ListMatch[]
}

export const DEFAULT_CURRENCY = 'USD'
const NO_REPUTATION = { device: 0, ip: 0, profile: 0 }
const NO_ITEMS: readonly ItemFacts[] = []
const NO_LISTS: readonly ListMatch[] = []

export type ContextSources = { hours: LocalHours; countries: Countries; positions: Positions }

/** Returns the part of the context that follows from the request. */
export function requestContext(
  { hours, countries, positions }: ContextSources,
  request: OrderRequest,
  orderedAt: Date,
): OrderContext {
  const { location_latitude, location_longitude, location_country } = request
  const local_hour = hours.hourAt(orderedAt, location_latitude, location_longitude)
  if (location_country === undefined) return { local_hour }
  const country = countries.codeOf(location_country)
  const isOutside =
    location_latitude !== undefined &&
    location_longitude !== undefined &&
    positions.isOutside(country, location_latitude, location_longitude)
  return isOutside ? { local_hour, country, is_outside_country: true } : { local_hour, country }
}

export function factsOf(
  request: OrderRequest,
  context: OrderContext,
  profile_id: string | undefined,
  orderedAt: Date,
): OrderFacts {
  const { location_latitude: latitude, location_longitude: longitude } = request
  const isPlaced = latitude !== undefined && longitude !== undefined
  return {
    profile_id,
    amount_cents: request.amount_cents,
    currency: request.currency ?? DEFAULT_CURRENCY,
    order_type: request.order_type,
    payment_method: request.payment_method,
    item_count: request.item_count,
    items: request.items?.map(itemFacts) ?? NO_ITEMS,
    latitude: isPlaced ? latitude : undefined,
    longitude: isPlaced ? longitude : undefined,
    country: context.country,
    is_outside_country: context.is_outside_country === true,
    location_name: request.location_name,
    edge_device_id: request.edge_device_id,
    fingerprint_hash: request.fingerprint_hash,
    ip_hash: request.ip_hash,
    cashier_external_id: request.cashier_external_id,
    ordered_at_ms: orderedAt.getTime(),
    local_hour: context.local_hour,
    reputation: context.reputation ?? NO_REPUTATION,
    check_risk: context.check_risk ?? 0,
    lists: context.lists ?? NO_LISTS,
  }
}

function itemFacts(item: NonNullable<OrderRequest['items']>[number]): ItemFacts {
  return {
    quantity: item.quantity,
    unit_price_cents: item.unit_price_cents,
    total_price_cents: item.total_price_cents,
    discount_cents: item.discount_cents ?? 0,
    discount_type: item.discount_type,
    category: item.item_category,
  }
}
