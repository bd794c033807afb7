/** A customer who orders at home for forty days, and then an order in their name from far away. */
import { HOUR_MS } from '../../src/platform/time-units.ts'
import { type Body, newOrder, pastOrders } from './orders.ts'

export const BERLIN = {
  location_latitude: 52.52,
  location_longitude: 13.4,
  location_country: 'Germany',
}
export const TOKYO = {
  location_latitude: 35.68,
  location_longitude: 139.69,
  location_country: 'Japan',
}

export const ANN = {
  external_id: 'ann',
  currency: 'EUR',
  payment_method: 'card',
  order_type: 'in_store',
}

/** @param given overrides the fields of every order */
export function travelerOrders(until: Date, given: Body = {}): { past: Body[]; far: Body } {
  const past = pastOrders(40, until, {
    ...ANN,
    ...BERLIN,
    fingerprint_hash: 'phone-of-ann',
    ...given,
  })
  const last = Date.parse(String(past.at(-1)?.['ordered_at']))
  const far = newOrder({
    ...ANN,
    ...TOKYO,
    external_order_id: 'far away',
    amount_cents: 90_000,
    fingerprint_hash: 'new one',
    ordered_at: new Date(last + HOUR_MS).toISOString(),
    items: [{ quantity: 2, unit_price_cents: 45_000, total_price_cents: 90_000 }],
    ...given,
  })
  return { past, far }
}
