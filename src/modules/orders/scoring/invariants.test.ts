/** Properties that hold for random orders, including absurd times and amounts. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openShop, orderFacts, START } from '../../../../test/support/scoring.ts'
import { type Decision, learnDecision } from './decision.ts'
import type { OrderFacts } from './facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'
import { scoreOrder } from './scoring.ts'
import { ORDER_SIGNALS } from './signals.ts'
import type { OrderStates } from './states.ts'

const some = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values)
const YEAR = 365 * 86_400_000
const time = fc.oneof(
  fc.integer({ min: START - YEAR, max: START + YEAR }),
  fc.integer({ min: START - 600_000, max: START + 600_000 }),
  fc.constantFrom(0, 1, -1, -62_135_596_800_000, 253_402_300_799_999),
)
const item = fc.record({
  quantity: fc.integer({ min: -1000, max: 1000 }),
  unit_price_cents: fc.maxSafeInteger(),
  total_price_cents: fc.maxSafeInteger(),
  discount_cents: fc.integer({ min: -1000, max: 1000 }),
  discount_type: some('none' as const, 'override' as const),
})
const facts: fc.Arbitrary<OrderFacts> = fc
  .record({
    profile_id: some('p1', 'p2', 'p3'),
    amount_cents: fc.oneof(
      fc.integer({ min: -20_000, max: 20_000 }),
      fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
    ),
    currency: fc.constantFrom('EUR', 'USD', 'JPY', 'KWD', 'GBP', 'CHF'),
    order_type: some('online' as const, 'in_store' as const, 'phone' as const),
    payment_method: some('card' as const, 'cash' as const, 'crypto' as const),
    item_count: some(-1, 0, 1, 500),
    items: fc.array(item, { maxLength: 3 }),
    point: fc.option(
      fc.record({
        latitude: fc.double({ min: -90, max: 90, noNaN: true }),
        longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      }),
      { nil: undefined },
    ),
    country: some('DE', 'US', 'JP', 'atlantis'),
    location_name: some('store'),
    edge_device_id: some('till'),
    fingerprint_hash: some('f1', 'f2', 'f3', 'f4'),
    ip_hash: some('i1', 'i2'),
    ordered_at_ms: time,
    local_hour: fc.integer({ min: 0, max: 23 }),
    reputation: fc.record({ device: fc.nat(100), ip: fc.nat(100), profile: fc.nat(100) }),
    check_risk: fc.nat(100),
  })
  .map(({ point, ...rest }) => orderFacts({ ...rest, ...point }))

const step = fc.record({
  facts,
  now: fc.integer({ min: START, max: START + 1_000_000_000 }),
  decision: some<Decision>('confirmed_fraud', 'legitimate'),
})
const steps = fc.array(step, { maxLength: 25 })

type Visit = (before: OrderStates, next: OrderStates) => void

/** Applies orders, each followed by its decision; all inputs are frozen. */
function fold(
  given: readonly { facts: OrderFacts; now: number; decision?: Decision | undefined }[],
  visit: Visit,
) {
  const shop = openShop()
  return given.map(({ facts: order, now, decision }) => {
    const before = frozen(shop.read(order))
    const scored = scoreOrder(frozen(order), before, now, DEFAULT_ORDER_PARAMETERS)
    visit(before, scored.next)
    shop.write(order, scored.next)
    if (decision !== undefined) {
      const { risk_score } = scored.risk
      const decided = { facts: order, risk_score, scored_at_ms: now }
      const states = frozen(shop.read(order))
      const next = learnDecision(
        decided,
        { decision, now_ms: now },
        states,
        DEFAULT_ORDER_PARAMETERS,
      )
      visit(states, next)
      shop.write(order, next)
    }
    return scored
  })
}

describe('for any orders and decisions', () => {
  it('scores are integers from 0 to 100 and review begins exactly at 50', () => {
    fc.assert(
      fc.property(steps, (given) => {
        for (const { risk, probability } of fold(given, () => undefined)) {
          const numbers = [risk.risk_score, ...ORDER_SIGNALS.map((name) => risk.signals[name])]
          for (const number of numbers) {
            expect(Number.isInteger(number) && number >= 0 && number <= 100).toBe(true)
          }
          expect(risk.flagged_for_review).toBe(risk.risk_score >= 50)
          expect(probability).toBeGreaterThanOrEqual(0)
          expect(probability).toBeLessThan(1)
          expect(Math.round(100 * probability)).toBe(risk.risk_score)
        }
      }),
    )
  })

  it('states survive a JSON round trip and contain no NaN or -0', () => {
    fc.assert(
      fc.property(steps, (given) => {
        fold(given, (_, next) => {
          for (const state of Object.values(next)) {
            if (state !== undefined) expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
          }
        })
      }),
    )
  })

  it('the same orders give bit-identical results', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const once = fold(given, () => undefined)
        expect(JSON.stringify(fold(given, () => undefined))).toBe(JSON.stringify(once))
      }),
    )
  })

  it('the time of the latest order never goes back', () => {
    fc.assert(
      fc.property(steps, (given) => {
        fold(given, (before, next) => {
          for (const name of ['profile', 'terminal', 'store', 'device', 'ip'] as const) {
            const at = before[name]?.velocity.at ?? 0
            expect(next[name]?.velocity.at ?? at).toBeGreaterThanOrEqual(at)
          }
          const last = before.profile?.places.last?.at ?? 0
          expect(next.profile?.places.last?.at ?? last).toBeGreaterThanOrEqual(last)
        })
      }),
    )
  })
})

it('states stay small after any number of orders', () => {
  const shop = openShop()
  const random = seeded(7)
  const below = (limit: number) => Math.floor(random() * limit)
  let largest: Record<string, number> = {}
  let at = START
  for (let i = 0; i < 20_000; i += 1) {
    at += below(7_200_000)
    const order = orderFacts({
      profile_id: below(20) === 0 ? undefined : `p${below(3)}`,
      amount_cents: below(100) === 0 ? Number.MAX_SAFE_INTEGER : below(1_000_000),
      currency: ['EUR', 'USD', 'JPY', 'KWD', 'GBP', 'CHF', 'SEK'][below(7)] ?? 'EUR',
      order_type: (['online', 'in_store', 'phone', 'other'] as const)[below(4)],
      payment_method: (['card', 'cash', 'mobile', 'crypto', 'other'] as const)[below(5)],
      latitude: below(180) - 90 + random(),
      longitude: below(360) - 180 + random(),
      country: `country ${below(50)}`,
      edge_device_id: below(2) === 0 ? 'till' : undefined,
      fingerprint_hash: `f${below(500)}`,
      ip_hash: `i${below(3)}`,
      ordered_at_ms: at - below(50) * 3_600_000,
      local_hour: below(24),
    })
    const { next } = scoreOrder(order, shop.read(order), at, DEFAULT_ORDER_PARAMETERS)
    shop.write(order, next)
    if (i % 50 === 0) largest = grown(largest, next)
  }
  expect(largest['profile']).toBeLessThan(2000)
  expect(largest['terminal']).toBeLessThan(700)
  expect(largest['device']).toBeLessThan(1200)
  expect(largest['ip']).toBeLessThan(1200)
  expect(largest['organization']).toBeLessThan(2000)
})

function grown(largest: Record<string, number>, states: OrderStates): Record<string, number> {
  return Object.fromEntries(
    Object.entries(states).map(([name, state]) => [
      name,
      Math.max(largest[name] ?? 0, JSON.stringify(state ?? null).length),
    ]),
  )
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
