/** What the order simulator hands out: facts as the service sees them, and the truth that it does not. */
import type { OrderFacts } from '../../../src/modules/orders/scoring/facts.ts'

export const SCENARIOS = [
  'velocity_burst',
  'impossible_travel',
  'device_farm',
  'account_takeover',
  'odd_hours',
  'card_testing',
] as const
export type Scenario = (typeof SCENARIOS)[number]

/** What an honest order is, to see who suffers from false alarms. */
export const CLEAN_KINDS = [
  'at_home',
  'travelling',
  'business',
  'subscription',
  'till_loyalty',
  'till_anonymous',
  'kiosk',
  'guest',
] as const
export type CleanKind = (typeof CLEAN_KINDS)[number]

export type ShopOrder = {
  facts: OrderFacts
  /** When the service hears of it; later than the order when a shop was offline. */
  arrives_ms: number
  truth:
    | { is_fraud: false; kind: CleanKind }
    | { is_fraud: true; scenario: Scenario; variant: string; episode: number }
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const MINUTE_MS = 60_000

/** Autumn with the days of high sales and Christmas in it. */
export const FIRST_DAY_MS = Date.UTC(2026, 8, 1)

/** Facts with everything unknown but what is given. */
export function orderFacts(
  known: Partial<OrderFacts> & Pick<OrderFacts, 'amount_cents' | 'ordered_at_ms' | 'local_hour'>,
): OrderFacts {
  return {
    profile_id: undefined,
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
    reputation: { device: 0, ip: 0, profile: 0 },
    check_risk: 0,
    ...known,
  }
}

/** A uuid that says what it is: kind of subject and number. */
export function uuidOf(kind: number, index: number): string {
  return `00000000-0000-4000-8${kind.toString(16).padStart(3, '0')}-${index.toString(16).padStart(12, '0')}`
}
