/** Order facts with defaults, and a shop that scores orders with its states in memory. */

import { orderFacts as orderFactsOf } from '../../eval/orders/facts.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
} from '../../src/modules/orders/scoring/parameters.ts'
import { type ScoredOrder, scoreOrder } from '../../src/modules/orders/scoring/scoring.ts'
import type { OrderStates } from '../../src/modules/orders/scoring/states.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/time-units.ts'

export const START = Date.UTC(2026, 2, 2, 12)

/** Returns a usual online order of one profile at noon. */
export const orderFacts = (some: Partial<OrderFacts> = {}): OrderFacts =>
  orderFactsOf({
    profile_id: 'a0000000-0000-4000-8000-000000000001',
    amount_cents: 5000,
    ordered_at_ms: START,
    local_hour: 12,
    ...some,
  })

export const NO_STATES: OrderStates = {
  organization: undefined,
  profile: undefined,
  terminal: undefined,
  store: undefined,
  device: undefined,
  ip: undefined,
}

export type Shop = {
  /** Scores an order and stores the updated states. */
  order: (some?: Partial<OrderFacts>, now_ms?: number) => ScoredOrder
  read: (facts: OrderFacts) => OrderStates
  write: (facts: OrderFacts, next: OrderStates) => void
}

type Key = [name: keyof OrderStates, key: string]

export function openShop(parameters: OrderParameters = DEFAULT_ORDER_PARAMETERS): Shop {
  const stored = new Map<string, unknown>()
  const read = (facts: OrderFacts): OrderStates =>
    Object.fromEntries([
      ...Object.entries(NO_STATES),
      ...keysOf(facts).map(([name, key]) => [name, stored.get(`${name} ${key}`)] as const),
    ]) as OrderStates
  const write = (facts: OrderFacts, next: OrderStates): void => {
    for (const [name, key] of keysOf(facts)) stored.set(`${name} ${key}`, next[name])
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

/**
 * Creates a shop with ten customers who ordered once a day for six weeks, amounts around 5,000
 * cents.
 */
export function openKnownShop(parameters: OrderParameters = DEFAULT_ORDER_PARAMETERS): Shop {
  const shop = openShop(parameters)
  for (let day = 42; day > 0; day -= 1) {
    for (let customer = 0; customer < 10; customer += 1) {
      shop.order({
        profile_id: customerId(customer),
        amount_cents: 3000 + ((day * 7 + customer * 13) % 41) * 100,
        ordered_at_ms: START - day * DAY_MS + customer * 20 * MINUTE_MS,
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
  const isAnonymous = profile_id === undefined && edge_device_id === undefined
  const all: [keyof OrderStates, string | undefined][] = [
    ['organization', ''],
    ['profile', profile_id],
    ['terminal', edge_device_id],
    ['store', isAnonymous ? location_name : undefined],
    ['device', fingerprint_hash],
    ['ip', ip_hash],
  ]
  return all.filter((key): key is Key => key[1] !== undefined)
}
