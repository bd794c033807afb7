/**
 * Orders of a busy shop, some of them suspicious: customers at home and traveling, shared devices,
 * terminals and cashiers, anonymous orders, late and early ones.
 */

import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import { HOUR_MS } from '../../src/platform/time-units.ts'

const PLACES = [
  ['Germany', 52.52, 13.4],
  ['Japan', 35.68, 139.69],
  ['Brazil', -23.55, -46.63],
  ['United Kingdom', -0, -0],
] as const
const METHODS = ['card', 'cash', 'mobile', 'crypto'] as const
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'USD', 'JPY'] as const

type Random = () => number

/** @param name prefix of the order ids; the same name and number give the same order */
export function orderOf(name: string, number: number): OrderRequest {
  const external_order_id = `${name}-${number}`
  const random = seeded(external_order_id)
  const below = (limit: number) => Math.floor(random() * limit)
  const request: OrderRequest = {
    external_order_id,
    amount_cents: below(30) === 0 ? 2_000_000 + below(100) : 1000 + below(9000),
    currency: CURRENCIES[below(CURRENCIES.length)] ?? 'EUR',
    payment_method: METHODS[below(METHODS.length)] ?? 'card',
    ...whoAndWhere(below),
  }
  if (below(8) === 0) request.ordered_at = timeNear(random)
  if (below(4) === 0) request.items = itemsOf(request.amount_cents, below)
  return request
}

type Below = (limit: number) => number

function whoAndWhere(below: Below): Partial<OrderRequest> {
  const kind = below(10)
  if (kind < 3) {
    const terminal = below(4)
    return {
      order_type: 'in_store',
      edge_device_id: `till-${terminal}`,
      location_name: `Shop ${terminal % 2}`,
      ...(below(2) === 0 && { cashier_external_id: `cashier-${below(5)}` }),
      ...(below(3) === 0 && { external_id: `customer-${below(30)}` }),
    }
  }
  if (kind === 3) return below(2) === 0 ? {} : { location_name: `Kiosk ${below(3)}` }
  const isTraveler = kind === 4
  const [location_country, location_latitude, location_longitude] =
    PLACES[isTraveler ? below(PLACES.length) : 0] ?? PLACES[0]
  return {
    order_type: 'online',
    external_id: isTraveler ? `traveler-${below(6)}` : `customer-${below(30)}`,
    fingerprint_hash: `device-${below(40)}`,
    ip_hash: `ip-${below(10)}`,
    location_country,
    ...(below(2) === 0 && { location_latitude, location_longitude }),
  }
}

/** Returns a time in the recent past, or slightly ahead of the clock. */
function timeNear(random: Random): string {
  return new Date(Date.now() + (random() * 2 - 1.8) * 24 * HOUR_MS).toISOString()
}

/** Returns items; one in three orders does not match its total. */
function itemsOf(amount_cents: number, below: Below): NonNullable<OrderRequest['items']> {
  const total = below(3) === 0 ? Math.floor(amount_cents / 10) : amount_cents
  return [{ quantity: 1, unit_price_cents: total, total_price_cents: total }]
}

/** Mulberry32 over the FNV-1a hash of a text. */
function seeded(text: string): Random {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
