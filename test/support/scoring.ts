/** Orders and states for tests of the scoring: facts with defaults, and a fold over one organisation. */

import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
} from '../../src/modules/orders/scoring/parameters.ts'
import { type ScoredOrder, scoreOrder } from '../../src/modules/orders/scoring/scoring.ts'
import type { OrderStates } from '../../src/modules/orders/scoring/states.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const START = Date.UTC(2026, 2, 2, 12)

/** An ordinary online order of one profile, at noon. */
export function orderFacts(some: Partial<OrderFacts> = {}): OrderFacts {
  return {
    profile_id: 'a0000000-0000-4000-8000-000000000001',
    amount_cents: 5000,
    currency: 'EUR',
    order_type: 'online',
    payment_method: 'card',
    item_count: undefined,
    items: [],
    latitude: undefined,
    longitude: undefined,
    country: undefined,
    location_name: undefined,
    edge_device_id: undefined,
    fingerprint_hash: undefined,
    ip_hash: undefined,
    cashier_external_id: undefined,
    ordered_at_ms: START,
    local_hour: 12,
    reputation: { device: 0, ip: 0, profile: 0 },
    check_risk: 0,
    ...some,
  }
}

export const NO_STATES: OrderStates = {
  organization: undefined,
  profile: undefined,
  terminal: undefined,
  store: undefined,
  device: undefined,
  ip: undefined,
}

export type Shop = {
  /** Scores an order as it happens and remembers it. */
  order: (some?: Partial<OrderFacts>, now_ms?: number) => ScoredOrder
  read: (facts: OrderFacts) => OrderStates
  write: (facts: OrderFacts, next: OrderStates) => void
}

type Key = [name: keyof OrderStates, key: string]

export function openShop(parameters: OrderParameters = DEFAULT_ORDER_PARAMETERS): Shop {
  const kept = new Map<string, unknown>()
  const read = (facts: OrderFacts): OrderStates =>
    Object.fromEntries([
      ...Object.entries(NO_STATES),
      ...keysOf(facts).map(([name, key]) => [name, kept.get(`${name} ${key}`)] as const),
    ]) as OrderStates
  const write = (facts: OrderFacts, next: OrderStates): void => {
    for (const [name, key] of keysOf(facts)) kept.set(`${name} ${key}`, next[name])
  }
  return {
    read,
    write,
    order: (some = {}, now_ms = some.ordered_at_ms ?? START) => {
      const facts = orderFacts(some)
      const scored = scoreOrder(facts, read(facts), now_ms, parameters)
      write(facts, scored.next)
      return scored
    },
  }
}

/** A shop of ten customers who have ordered once a day for six weeks, amounts around 5,000 cents. */
export function openKnownShop(parameters: OrderParameters = DEFAULT_ORDER_PARAMETERS): Shop {
  const shop = openShop(parameters)
  for (let day = 42; day > 0; day -= 1) {
    for (let customer = 0; customer < 10; customer += 1) {
      shop.order({
        profile_id: customerId(customer),
        amount_cents: 3000 + ((day * 7 + customer * 13) % 41) * 100,
        ordered_at_ms: START - day * DAY + customer * 20 * MINUTE,
        local_hour: 12 + Math.floor(customer / 3),
      })
    }
  }
  return shop
}

export const customerId = (number: number): string =>
  `c0000000-0000-4000-8000-${number.toString().padStart(12, '0')}`

function keysOf(facts: OrderFacts): Key[] {
  const { profile_id, edge_device_id, location_name, fingerprint_hash, ip_hash } = facts
  const isNobody = profile_id === undefined && edge_device_id === undefined
  const all: [keyof OrderStates, string | undefined][] = [
    ['organization', ''],
    ['profile', profile_id],
    ['terminal', edge_device_id],
    ['store', isNobody ? location_name : undefined],
    ['device', fingerprint_hash],
    ['ip', ip_hash],
  ]
  return all.filter((key): key is Key => key[1] !== undefined)
}
