/**
 * Orders of a shop, another one for every number. They are told as of long ago and go on from there
 * faster than time does: so each customer orders every other day or so, however many orders a second
 * are made, and ordinary orders stay ordinary.
 */
import { createHash } from 'node:crypto'
import type { OrderRequest } from '../src/modules/orders/schema.ts'

export type OrderShape = 'online' | 'in_store'

export type Customer = {
  external_id: string
  fingerprint_hash: string
  latitude: number
  longitude: number
  usual_cents: number
}

export const CUSTOMERS = 5000
export const TERMINALS = 500

const DAY_MS = 86_400_000
/** How far apart the orders are and how long ago they begin: room for two million of them. */
const PACE = {
  online: { step_ms: 40_000, days_ago: 1000 },
  in_store: { step_ms: 1000, days_ago: 25 },
} as const

/** @param now the orders lie before it */
export function createOrders(shape: OrderShape, now: Date): (number: number) => OrderRequest {
  const { step_ms, days_ago } = PACE[shape]
  const start = now.getTime() - days_ago * DAY_MS
  const timeOf = (number: number) => new Date(start + number * step_ms)
  if (shape === 'in_store') return (number) => inStoreOrder(number, timeOf(number))
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => customerOf(index))
  return (number) => {
    const customer = customers[Math.floor(chance(number, 1) * CUSTOMERS)] ?? customerOf(0)
    return onlineOrder(customer, `order-${number}`, number, timeOf(number))
  }
}

/** Each with a device and a home of its own, all within one time zone. */
export function customerOf(index: number): Customer {
  return {
    external_id: `customer-${index}`,
    fingerprint_hash: createHash('sha256').update(`device of customer ${index}`).digest('hex'),
    latitude: 49.5 + 3.5 * chance(index, 2),
    longitude: 8 + 4 * chance(index, 3),
    usual_cents: 2000 + Math.floor(8000 * chance(index, 4)),
  }
}

/** @param number what the rest of the order is drawn from */
export function onlineOrder(
  { external_id, fingerprint_hash, latitude, longitude, usual_cents }: Customer,
  external_order_id: string,
  number: number,
  at: Date,
): OrderRequest {
  const unit_price_cents = Math.round(usual_cents * (0.2 + 0.2 * chance(number, 5)))
  const other_price_cents = Math.round(usual_cents * (0.2 + 0.4 * chance(number, 6)))
  return {
    external_order_id,
    external_id,
    amount_cents: 2 * unit_price_cents + other_price_cents,
    currency: 'EUR',
    order_type: 'online',
    payment_method: 'card',
    item_count: 3,
    location_latitude: degrees(latitude + 0.02 * chance(number, 7)),
    location_longitude: degrees(longitude + 0.02 * chance(number, 8)),
    location_country: 'Germany',
    fingerprint_hash,
    ordered_at: at.toISOString(),
    items: [
      {
        external_item_id: `sku-${Math.floor(chance(number, 9) * 1000)}`,
        item_category: 'groceries',
        quantity: 2,
        unit_price_cents,
        total_price_cents: 2 * unit_price_cents,
      },
      {
        external_item_id: `sku-${Math.floor(chance(number, 10) * 1000)}`,
        item_category: 'household',
        quantity: 1,
        unit_price_cents: other_price_cents,
        total_price_cents: other_price_cents,
      },
    ],
  }
}

function inStoreOrder(number: number, at: Date): OrderRequest {
  return {
    external_order_id: `order-${number}`,
    amount_cents: 500 + Math.floor(3000 * chance(number, 5)),
    currency: 'EUR',
    order_type: 'in_store',
    payment_method: chance(number, 6) < 0.6 ? 'card' : 'cash',
    edge_device_id: `till-${Math.floor(chance(number, 1) * TERMINALS)}`,
    ordered_at: at.toISOString(),
  }
}

const degrees = (value: number): number => Math.round(value * 1e6) / 1e6

/** The same number from 0 to 1 for the same arguments (the 32-bit finaliser of MurmurHash3). */
function chance(number: number, purpose: number): number {
  let mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}
