/**
 * Orders of an online shop, a different one for every number. They begin years ago and advance faster than
 * time does, so that every customer orders about every other day however many orders a second are sent, and
 * ordinary orders stay ordinary.
 */

import { createHash } from 'node:crypto'
import type { OrderRequest } from '../src/modules/orders/schema.ts'
import { DAY_MS } from '../src/platform/time-units.ts'

export type BenchOrder = {
  order: OrderRequest
  /** Number of the organization that sends the order. */
  organization: number
}

type Customer = {
  external_id: string
  fingerprint_hash: string
  latitude: number
  longitude: number
  usual_cents: number
}

export const CUSTOMERS = 5000
/** Room for two million orders before the present. */
const STEP_MS = 40_000
const FIRST_DAYS_AGO = 1000

/**
 * Every customer belongs to one organization, and as many organizations as customers have one profile each.
 * @param now time that all orders precede
 */
export function createOrders(now: Date, organizations: number): (number: number) => BenchOrder {
  const start = now.getTime() - FIRST_DAYS_AGO * DAY_MS
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => createCustomer(index))
  return (number) => {
    const index = Math.floor(chance(number, 1) * CUSTOMERS)
    const customer = customers[index] ?? createCustomer(index)
    const order = createOrder(customer, number, new Date(start + number * STEP_MS))
    return { order, organization: index % organizations }
  }
}

/** Each customer has a device and a home of its own, all in one time zone. */
const createCustomer = (index: number): Customer => ({
  external_id: `customer-${index}`,
  fingerprint_hash: createHash('sha256').update(`device of customer ${index}`).digest('hex'),
  latitude: 49.5 + 3.5 * chance(index, 2),
  longitude: 8 + 4 * chance(index, 3),
  usual_cents: 2000 + Math.floor(8000 * chance(index, 4)),
})

function createOrder(customer: Customer, number: number, at: Date): OrderRequest {
  const { external_id, fingerprint_hash, latitude, longitude, usual_cents } = customer
  const unit_price_cents = Math.round(usual_cents * (0.2 + 0.2 * chance(number, 5)))
  const other_price_cents = Math.round(usual_cents * (0.2 + 0.4 * chance(number, 6)))
  return {
    external_order_id: `order-${number}`,
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
        external_item_id: sku(chance(number, 9)),
        item_category: 'groceries',
        quantity: 2,
        unit_price_cents,
        total_price_cents: 2 * unit_price_cents,
      },
      {
        external_item_id: sku(chance(number, 10)),
        item_category: 'household',
        quantity: 1,
        unit_price_cents: other_price_cents,
        total_price_cents: other_price_cents,
      },
    ],
  }
}

const sku = (share: number): string => `sku-${Math.floor(share * 1000)}`
const degrees = (value: number): number => Math.round(value * 1e6) / 1e6

/** @returns a number from 0 to 1, the same for the same arguments (the 32-bit finalizer of MurmurHash3) */
function chance(number: number, purpose: number): number {
  let mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}
