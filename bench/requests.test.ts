import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { orderSchemas } from '../src/modules/orders/schema.ts'
import { appSchemas } from '../src/modules/push/apps/schema.ts'
import { createValidators } from '../src/platform/http/validation.ts'
import { DEVICES, logEntry } from './log-requests.ts'
import { CUSTOMERS, createOrders } from './order-requests.ts'
import { createRequests } from './requests.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const NUMBERS = Array.from({ length: 3000 }, (_, index) => index * 37)

describe('orders of the benchmark', () => {
  const orders = NUMBERS.map(createOrders(NOW, 1)).map(({ order }) => order)

  it('are valid, all different, and the same for the same number', () => {
    const isOrder = createValidators().compileBody(orderSchemas(readConfig({})).request)
    expect(orders.filter((order) => !isOrder(order))).toEqual([])
    const ids = new Set(orders.map(({ external_order_id }) => external_order_id))
    expect(ids.size).toBe(NUMBERS.length)
    expect(NUMBERS.map(createOrders(NOW, 1)).map(({ order }) => order)).toEqual(orders)
  })

  it('lie in the past, one after another', () => {
    const times = orders.map(({ ordered_at = '' }) => ordered_at)
    expect(times).toEqual(times.toSorted())
    expect((times.at(-1) ?? '') < NOW.toISOString()).toBe(true)
  })

  it('have the amount of their items', () => {
    for (const { amount_cents, items = [] } of orders) {
      const sum = items.reduce((total, { total_price_cents }) => total + total_price_cents, 0)
      expect(sum).toBe(amount_cents)
    }
  })

  it('come from customers with a device of their own, each in one organization', () => {
    const devices = new Map<string, string>()
    const homes = new Map<string, number>()
    for (const { order, organization } of NUMBERS.map(createOrders(NOW, CUSTOMERS))) {
      const { external_id = '', fingerprint_hash = '' } = order
      expect(devices.get(external_id) ?? fingerprint_hash).toBe(fingerprint_hash)
      expect(homes.get(external_id) ?? organization).toBe(organization)
      devices.set(external_id, fingerprint_hash)
      homes.set(external_id, organization)
    }
    expect(devices.size).toBeGreaterThan(2000)
    expect(new Set(devices.values()).size).toBe(devices.size)
    expect(new Set(homes.values()).size).toBe(homes.size)
  })
})

it('log entries have about 300 bytes, all levels, many devices and seven percent failures', () => {
  const entries = Array.from({ length: 10_000 }, (_, number) => logEntry(number, NOW))
  const bytes = entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0)
  expect(bytes / entries.length).toBeGreaterThan(270)
  expect(bytes / entries.length).toBeLessThan(370)
  expect(new Set(entries.map(({ level }) => level)).size).toBe(5)
  expect(new Set(entries.map(({ device_id }) => device_id)).size).toBe(DEVICES)
  const failures = entries.filter(({ error }) => error !== undefined)
  expect(failures.length).toBe(700)
  expect(failures.every(({ level }) => level === 'error' || level === 'fatal')).toBe(true)
})

it('batches of log entries are complete and never the same', () => {
  const make = createRequests('logs', NOW, 1)
  const bodies = Array.from({ length: 210 }, (_, number) => make(number).body)
  expect((JSON.parse(bodies[0] ?? '') as { logs: unknown[] }).logs).toHaveLength(500)
  expect(new Set(bodies).size).toBe(bodies.length)
})

it.each(['checks', 'orders'] as const)('%s have one byte per character and their echo', (kind) => {
  const { path, body, echo } = createRequests(kind, NOW, 1)(7)
  expect(path).toMatch(/^\/v1\/(check|orders)$/)
  expect(Buffer.byteLength(body)).toBe(body.length)
  expect(body).toContain(echo)
})

describe('registrations of the benchmark', () => {
  it('are valid and all different', () => {
    const isRegistration = createValidators().compileBody(appSchemas.registration)
    const bodies = NUMBERS.map(createRequests('registrations', NOW, 1)).map(({ body }) => body)
    expect(bodies.filter((body) => !isRegistration(JSON.parse(body)))).toEqual([])
    expect(new Set(bodies).size).toBe(NUMBERS.length)
  })
})
