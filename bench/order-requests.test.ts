import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { orderSchemas } from '../src/modules/orders/schema.ts'
import { createValidators } from '../src/platform/http/validation.ts'
import { createOrders, type OrderShape } from './order-requests.ts'
import { createRequests } from './requests.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const SHAPES: OrderShape[] = ['online', 'in_store']
const NUMBERS = Array.from({ length: 3000 }, (_, index) => index * 37)

describe.each(SHAPES)('orders of the benchmark, %s', (shape) => {
  const orders = NUMBERS.map(createOrders(shape, NOW))

  it('are what the API takes', () => {
    const isOrder = createValidators().compileBody(orderSchemas(readConfig({})).request)
    expect(orders.filter((order) => !isOrder(order))).toEqual([])
  })

  it('are different ones for different numbers and the same for the same', () => {
    expect(new Set(orders.map(({ external_order_id }) => external_order_id)).size).toBe(
      NUMBERS.length,
    )
    expect(NUMBERS.map(createOrders(shape, NOW))).toEqual(orders)
  })

  it('lie in the past, one after another', () => {
    const times = orders.map(({ ordered_at = '' }) => ordered_at)
    expect(times).toEqual(times.toSorted())
    expect((times.at(-1) ?? '') < NOW.toISOString()).toBe(true)
  })

  it('cost what their items cost', () => {
    for (const { amount_cents, items = [] } of orders) {
      const sum = items.reduce((total, { total_price_cents }) => total + total_price_cents, 0)
      expect(sum).toBe(items.length > 0 ? amount_cents : 0)
    }
  })
})

it('each online customer has a device and a home of its own', () => {
  const homes = new Map<string, string>()
  for (const order of NUMBERS.map(createOrders('online', NOW))) {
    const { external_id = '', fingerprint_hash = '' } = order
    const { location_latitude = 0, location_longitude = 0 } = order
    const [latitude, longitude] = [location_latitude.toFixed(0), location_longitude.toFixed(0)]
    expect([49, 50, 51, 52, 53].map(String)).toContain(latitude)
    expect([8, 9, 10, 11, 12].map(String)).toContain(longitude)
    expect(homes.get(external_id) ?? fingerprint_hash).toBe(fingerprint_hash)
    homes.set(external_id, fingerprint_hash)
  }
  expect(new Set(homes.values()).size).toBe(homes.size)
  expect(homes.size).toBeGreaterThan(2000)
})

it.each(['checks', 'online_orders', 'in_store_orders'] as const)(
  'the load generator sends %s in bytes of one character each, and knows what to look for',
  (kind) => {
    const { path, body, echo } = createRequests(kind, NOW)(7)
    expect(path).toMatch(/^\/v1\/(check|orders)$/)
    expect(Buffer.byteLength(body)).toBe(body.length)
    expect(body).toContain(echo)
  },
)
