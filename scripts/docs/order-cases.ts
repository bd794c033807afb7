/**
 * Orders that are put to the rules for the tables of docs/orders.md: a shop with a past, what happened
 * in it lately, and the order that is asked about.
 */
import { createFold } from '../../eval/orders/fold.ts'
import type { OrderFacts } from '../../src/modules/orders/scoring/facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import type { ScoredOrder } from '../../src/modules/orders/scoring/scoring.ts'
import type { OrderSignal } from '../../src/modules/orders/scoring/signals.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 2, 2, 12)

/** An order of the customer, as usual but for what is told, so many minutes after noon of today. */
export type Told = Partial<OrderFacts> & { minutes?: number }

export type OrderCase = { when: string; signal: OrderSignal; orders: readonly Told[] }

const BERLIN = { latitude: 52.52, longitude: 13.405 }
const TOKYO = { latitude: 35.68, longitude: 139.69 }
const MUNICH = { latitude: 48.14, longitude: 11.58 }
const MADRID = { latitude: 40.42, longitude: -3.7 }

const CUSTOMER = 'customer'
const PHONE = 'phone'
/** 2,000 to 8,000 cents, 5,000 on average, for everybody. */
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
  edge_device_id: undefined,
  fingerprint_hash: PHONE,
  ip_hash: undefined,
  cashier_external_id: undefined,
  ordered_at_ms: NOW,
  local_hour: 12,
  reputation: { device: 0, ip: 0, profile: 0 },
  check_risk: 0,
}

/** Of the customer, before what a case tells. */
export const CUSTOMER_ORDERS = 20

/** Of somebody who tells nothing but what is given. */
export const guest = (told: Told): Told => ({
  profile_id: undefined,
  fingerprint_hash: undefined,
  latitude: undefined,
  longitude: undefined,
  country: undefined,
  ...told,
})

/** Ten customers, one order every third day for two months, 200 in all; a terminal with 200 of guests. */
function openShop() {
  const fold = createFold(DEFAULT_ORDER_PARAMETERS)
  const score = ({ minutes = 0, ...told }: Told): ScoredOrder => {
    const facts = { ...USUAL, ordered_at_ms: NOW + minutes * MINUTE_MS, ...told }
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

/** @returns how the last of them was scored */
export function scoreLast(orders: readonly Told[]): ScoredOrder {
  const { score } = openShop()
  const scored = orders.map(score)
  const last = scored.at(-1)
  if (last === undefined) throw new Error('There is no order in a case')
  return last
}

/** The same after the orders before the last were decided to be fraud, a day ago. */
export function scoreAfterFrauds(frauds: readonly Told[], order: Told): ScoredOrder {
  const { fold, score } = openShop()
  for (const { minutes = 0, ...told } of frauds) {
    const facts = { ...USUAL, ordered_at_ms: NOW - 3 * DAY_MS + minutes * MINUTE_MS, ...told }
    const { risk_score } = fold.score(facts, facts.ordered_at_ms).risk
    const decided = { facts, risk_score, scored_at_ms: facts.ordered_at_ms }
    fold.decide(decided, 'confirmed_fraud', NOW - DAY_MS)
  }
  return score(order)
}

const many = (count: number, told: (number: number) => Told): Told[] =>
  Array.from({ length: count }, (_, number) => told(number))

/** So many orders, evenly over the given minutes. */
export const within = (minutes: number, count: number, told: (number: number) => Told): Told[] =>
  many(count, (number) => ({ minutes: (number * minutes) / count, ...told(number) }))

export function placeCases(): OrderCase[] {
  const of = (when: string, ...orders: Told[]): OrderCase => ({
    when,
    signal: 'location_anomaly',
    orders,
  })
  const yesterday = { minutes: -24 * 60 }
  return [
    of('Berlin, and half an hour later Tokyo', {}, { minutes: 30, ...TOKYO }),
    of('Berlin, and half an hour later Munich (504 km)', {}, { minutes: 30, ...MUNICH }),
    of(
      'Berlin, and half an hour later an `online` order with coordinates in Tokyo: perhaps those of the delivery',
      {},
      { minutes: 30, order_type: 'online', ...TOKYO },
    ),
    of('a day later in Madrid, in the same country', yesterday, { ...MADRID }),
    of('without coordinates, in another country than all before', {
      latitude: undefined,
      longitude: undefined,
      country: 'FR',
    }),
    of('a day later in Madrid, in Spain', yesterday, { ...MADRID, country: 'ES' }),
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
  const of = (when: string, ...orders: Told[]): OrderCase => ({
    when,
    signal: 'device_anomaly',
    orders,
  })
  const used = (profiles: number, minutes: number): Told[] =>
    many(profiles - 1, (number) => ({
      profile_id: `user ${number}`,
      fingerprint_hash: 'shared',
      minutes: minutes - number,
    }))
  const shared = { profile_id: 'the last one', fingerprint_hash: 'shared' }
  const behind = (profiles: number): Told[] =>
    many(profiles, (number) => ({
      profile_id: `behind ${number}`,
      fingerprint_hash: `behind ${number}`,
      ip_hash: 'address',
      minutes: (number - profiles) * 40,
    }))
  const far = { ...MADRID, country: 'ES' }
  const large = { amount_cents: 12_500 }
  const fresh = (number: number): Told => ({
    fingerprint_hash: `new ${number}`,
    minutes: number * 4 * 60,
  })
  return [
    of('2 profiles used the device within 30 days', ...used(2, -10 * 24 * 60), shared),
    of('3 profiles, all of them since today', ...used(3, 0), shared),
    of('5 profiles, all of them since today', ...used(5, 0), shared),
    of('8 profiles, all of them since today', ...used(8, 0), shared),
    of('the third new device of a profile within a day', ...many(3, fresh)),
    of('the fifth', ...many(5, fresh)),
    of('a device that a settled profile never used', { fingerprint_hash: 'new' }),
    of('and for two and a half times the usual amount', { fingerprint_hash: 'new', ...large }),
    of('or far away', { fingerprint_hash: 'new', ...far }),
    of('or both', { fingerprint_hash: 'new', ...far, ...large }),
    of('a check of the device (`POST /v1/check`) came to 80', { check_risk: 80 }),
    of('32 profiles came from the address within a day', ...behind(32)),
  ]
}

export function patternCases(): OrderCase[] {
  const of = (when: string, ...orders: Told[]): OrderCase => ({ when, signal: 'pattern', orders })
  const reputation = (profile: number) => ({ reputation: { device: 0, ip: 0, profile } })
  const methods = ['card', 'mobile', 'other', 'crypto'] as const
  const pay = (payment_method: (typeof methods)[number], minutes: number): Told => ({
    payment_method,
    minutes,
  })
  return [
    of('one other organisation confirmed a fraud of the profile', reputation(30)),
    of('two did', reputation(60)),
    of('three or more did', reputation(80)),
    of('`mobile` for the first time, after 20 orders by `card`', pay('mobile', 0)),
    of('`crypto`, likewise', pay('crypto', 0)),
    of('`mobile` for the first time, from a device that the profile never used', {
      ...pay('mobile', 0),
      fingerprint_hash: 'new',
    }),
    of('`crypto`, likewise', { ...pay('crypto', 0), fingerprint_hash: 'new' }),
    of(
      'a third way of payment within an hour',
      ...methods.slice(0, 3).map((method, number) => pay(method, number * 5)),
    ),
    of('a fourth', ...methods.map((method, number) => pay(method, number * 5))),
    of('the items come to less than half of the total, which is more than shipping', {
      amount_cents: 12_000,
      items: [item(3000, 1, 3000)],
    }),
    of('the items come to five times the total', { items: [item(25_000, 1, 25_000)] }),
    of('a line comes to more than twice its quantity times its price', {
      items: [item(2000, 1, 5000)],
    }),
    of('1,200 pieces of one item', { items: [item(5, 1200, 6000)] }),
  ]
}
