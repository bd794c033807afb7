/**
 * Cases for the tables of docs/orders.md: a shop with a history, recent orders in it, and the order to
 * score.
 */
import { createFold } from '../../eval/orders/fold.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import type { ScoredOrder } from '../../src/modules/orders/scoring/scoring.ts'
import type { OrderSignal } from '../../src/modules/orders/scoring/signals.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/time-units.ts'

const NOW = Date.UTC(2026, 2, 2, 12)

/** How an order differs from the usual order of the customer, and its time in minutes after noon of today. */
export type OrderChanges = Partial<OrderFacts> & { minutes?: number }

export type OrderCase = { when: string; signal: OrderSignal; orders: readonly OrderChanges[] }

const BERLIN = { latitude: 52.52, longitude: 13.405 }
const TOKYO = { latitude: 35.68, longitude: 139.69 }
const MUNICH = { latitude: 48.14, longitude: 11.58 }
const LAGOS = { latitude: 6.5, longitude: 3.4 }
const MADRID = { latitude: 40.42, longitude: -3.7 }

const CUSTOMER = 'customer'
const PHONE = 'phone'
/** 2,000 to 8,000 cents, 5,000 on average. */
const usualCents = (number: number): number => 2000 + ((number * 37) % 61) * 100

const USUAL: OrderFacts = {
  profile_id: CUSTOMER,
  amount_cents: 5000,
  currency: 'EUR',
  order_type: undefined,
  payment_method: 'card',
  item_count: undefined,
  items: [],
  ...BERLIN,
  country: 'DE',
  location_name: undefined,
  is_outside_country: false,
  edge_device_id: undefined,
  fingerprint_hash: PHONE,
  ip_hash: undefined,
  cashier_external_id: undefined,
  ordered_at_ms: NOW,
  local_hour: 12,
  reputation: { device: 0, ip: 0, profile: 0 },
  check_risk: 0,
  lists: [],
}

/** Number of orders of the customer before those of a case. */
export const CUSTOMER_ORDERS = 20

/** An order without a profile, a device or a place, except for those in the changes. */
export const guest = (changes: OrderChanges): OrderChanges => ({
  profile_id: undefined,
  fingerprint_hash: undefined,
  latitude: undefined,
  longitude: undefined,
  country: undefined,
  ...changes,
})

/** Ten customers with one order every third day for two months, 200 in all, and a terminal with 200 orders of guests. */
function openShop() {
  const fold = createFold(DEFAULT_ORDER_PARAMETERS)
  const score = ({ minutes = 0, ...changes }: OrderChanges): ScoredOrder => {
    const facts = { ...USUAL, ordered_at_ms: NOW + minutes * MINUTE_MS, ...changes }
    return fold.score(facts, facts.ordered_at_ms)
  }
  for (let number = 0; number < 10 * CUSTOMER_ORDERS; number += 1) {
    const other = number % 10
    const ordered_at_ms = NOW - (60 - 3 * Math.floor(number / 10)) * DAY_MS + other * 10 * MINUTE_MS
    const amount_cents = usualCents(number)
    const local_hour = 11 + (number % 3)
    const who =
      other === 0 ? {} : { profile_id: `other ${other}`, fingerprint_hash: `other ${other}` }
    score({ ...who, amount_cents, ordered_at_ms, local_hour })
    score(guest({ edge_device_id: 'terminal', amount_cents, ordered_at_ms, local_hour }))
  }
  return { fold, score }
}

/** @returns the score of the last order */
export function scoreLast(orders: readonly OrderChanges[]): ScoredOrder {
  const last = orders.map(openShop().score).at(-1)
  if (last === undefined) throw new Error('A case has no orders')
  return last
}

/** Scores an order after other orders were confirmed as fraud a day ago. */
export function scoreAfterFrauds(
  frauds: readonly OrderChanges[],
  order: OrderChanges,
): ScoredOrder {
  const { fold, score } = openShop()
  for (const { minutes = 0, ...changes } of frauds) {
    const facts = { ...USUAL, ordered_at_ms: NOW - 3 * DAY_MS + minutes * MINUTE_MS, ...changes }
    const { risk_score } = fold.score(facts, facts.ordered_at_ms).risk
    const decided = { facts, risk_score, scored_at_ms: facts.ordered_at_ms }
    fold.decide(decided, 'confirmed_fraud', NOW - DAY_MS)
  }
  return score(order)
}

const many = (count: number, changes: (number: number) => OrderChanges): OrderChanges[] =>
  Array.from({ length: count }, (_, number) => changes(number))

/** `count` orders, evenly spread over `minutes`. */
export const within = (
  minutes: number,
  count: number,
  changes: (number: number) => OrderChanges,
): OrderChanges[] =>
  many(count, (number) => ({ minutes: (number * minutes) / count, ...changes(number) }))

const caseOf =
  (signal: OrderSignal) =>
  (when: string, ...orders: OrderChanges[]): OrderCase => ({ when, signal, orders })

export function placeCases(): OrderCase[] {
  const of = caseOf('location_anomaly')
  const yesterday = { minutes: -24 * 60 }
  return [
    of('Berlin, then Tokyo half an hour later', {}, { minutes: 30, ...TOKYO }),
    of('Berlin, then Munich (504 km) half an hour later', {}, { minutes: 30, ...MUNICH }),
    of(
      'Berlin, then half an hour later an `online` order with coordinates in Tokyo, which may be the delivery address',
      {},
      { minutes: 30, order_type: 'online', ...TOKYO },
    ),
    of('Berlin, then Madrid a day later, with the same country', yesterday, { ...MADRID }),
    of('without coordinates, in a country that is new for the customer', {
      latitude: undefined,
      longitude: undefined,
      country: 'FR',
    }),
    of(
      'with coordinates in Lagos and the country Germany, for a customer with orders from Berlin',
      {
        ...LAGOS,
        is_outside_country: true,
      },
    ),
    of('Berlin, then Madrid a day later, with the country Spain', yesterday, {
      ...MADRID,
      country: 'ES',
    }),
  ]
}

const item = (unit_price_cents: number, quantity: number, total_price_cents: number) => ({
  quantity,
  unit_price_cents,
  total_price_cents,
  discount_cents: 0,
  discount_type: undefined,
})

export function deviceCases(): OrderCase[] {
  const of = caseOf('device_anomaly')
  const used = (profiles: number, minutes: number): OrderChanges[] =>
    many(profiles - 1, (number) => ({
      profile_id: `user ${number}`,
      fingerprint_hash: 'shared',
      minutes: minutes - number,
    }))
  const shared = { profile_id: 'the last one', fingerprint_hash: 'shared' }
  const fromOneAddress = (profiles: number): OrderChanges[] =>
    many(profiles, (number) => ({
      profile_id: `visitor ${number}`,
      fingerprint_hash: `visitor ${number}`,
      ip_hash: 'address',
      minutes: (number - profiles) * 40,
    }))
  const far = { ...MADRID, country: 'ES' }
  const large = { amount_cents: 12_500 }
  const fresh = (number: number): OrderChanges => ({
    fingerprint_hash: `new ${number}`,
    minutes: number * 4 * 60,
  })
  return [
    of('2 profiles used the device within 30 days', ...used(2, -10 * 24 * 60), shared),
    of('3 profiles used the device, all of them since today', ...used(3, 0), shared),
    of('5 profiles used the device, all of them since today', ...used(5, 0), shared),
    of('8 profiles used the device, all of them since today', ...used(8, 0), shared),
    of('the third new device of a profile within a day', ...many(3, fresh)),
    of('the fifth new device of a profile within a day', ...many(5, fresh)),
    of('an established profile uses a new device', { fingerprint_hash: 'new' }),
    of('an established profile uses a new device, for 2.5 times the usual amount', {
      fingerprint_hash: 'new',
      ...large,
    }),
    of('an established profile uses a new device, far from its usual places', {
      fingerprint_hash: 'new',
      ...far,
    }),
    of(
      'an established profile uses a new device, far from its usual places and for 2.5 times the usual amount',
      { fingerprint_hash: 'new', ...far, ...large },
    ),
    of('a check of the device (`POST /v1/check`) scored 80', { check_risk: 80 }),
    of('32 profiles used the IP address within a day', ...fromOneAddress(32)),
  ]
}

export function patternCases(): OrderCase[] {
  const of = caseOf('pattern')
  const reputation = (profile: number) => ({ reputation: { device: 0, ip: 0, profile } })
  const methods = ['card', 'mobile', 'other', 'crypto'] as const
  const pay = (payment_method: (typeof methods)[number], minutes: number) => ({
    payment_method,
    minutes,
  })
  return [
    of('two independent organizations confirmed fraud by the profile', reputation(60)),
    of('three or more independent organizations confirmed fraud by the profile', reputation(80)),
    of('`mobile` for the first time, after 20 orders by `card`', pay('mobile', 0)),
    of('`crypto` for the first time, after 20 orders by `card`', pay('crypto', 0)),
    of('`mobile` for the first time, from a new device', {
      ...pay('mobile', 0),
      fingerprint_hash: 'new',
    }),
    of('`crypto` for the first time, from a new device', {
      ...pay('crypto', 0),
      fingerprint_hash: 'new',
    }),
    of(
      'a third payment method within an hour',
      ...methods.slice(0, 3).map((method, number) => pay(method, number * 5)),
    ),
    of(
      'a fourth payment method within an hour',
      ...methods.map((method, number) => pay(method, number * 5)),
    ),
    of('the items add up to less than half of the total, which shipping does not explain', {
      amount_cents: 12_000,
      items: [item(3000, 1, 3000)],
    }),
    of('the items add up to five times the total', { items: [item(25_000, 1, 25_000)] }),
    of('the total of an item is more than twice its quantity times its unit price', {
      items: [item(2000, 1, 5000)],
    }),
    of('a quantity of 1,200 for one item', { items: [item(5, 1200, 6000)] }),
  ]
}
