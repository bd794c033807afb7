import { describe, expect, it } from 'vitest'
import {
  customerId,
  DAY,
  HOUR,
  openKnownShop,
  orderFacts,
  type Shop,
  START,
} from '../../../../test/support/scoring.ts'
import { type Decision, type EarlierDecision, learnDecision } from './decision.ts'
import type { OrderFacts } from './facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'

const decideOn = (
  shop: Shop,
  order: { facts: OrderFacts; risk_score: number; scored_at_ms: number },
  decision: Decision,
  now_ms: number,
  previous?: EarlierDecision,
): void => {
  const before = shop.read(order.facts)
  const next = learnDecision(order, decision, previous, before, now_ms, DEFAULT_ORDER_PARAMETERS)
  shop.write(order.facts, next)
}

/** Orders somewhere, and a decision about each of them a week later. */
function decided(decision: Decision | undefined, some: Partial<OrderFacts>): Shop {
  const shop = openKnownShop()
  const orders = Array.from({ length: 4 }, (_, i) => {
    const facts = orderFacts({
      ...some,
      profile_id: some.profile_id ?? customerId(i),
      ordered_at_ms: START + i * HOUR * 7,
    })
    const { risk } = shop.order(facts)
    return { facts, risk_score: risk.risk_score, scored_at_ms: facts.ordered_at_ms }
  })
  for (const order of orders) {
    if (decision) decideOn(shop, order, decision, order.scored_at_ms + 7 * DAY)
  }
  return shop
}

const AFTER = START + 9 * DAY

describe('confirmed frauds', () => {
  it('at a terminal raise the next order there, whoever makes it', () => {
    const till = { edge_device_id: 'till', order_type: 'in_store' as const }
    const next = { ...till, profile_id: customerId(8), ordered_at_ms: AFTER }
    const calm = decided(undefined, till).order(next)
    const { risk, measurements } = decided('confirmed_fraud', till).order(next)
    expect(calm.risk.signals.pattern).toBe(0)
    expect(risk.signals.pattern).toBeGreaterThanOrEqual(50)
    expect(measurements.pattern.finding).toBe('recent_frauds')
    expect(measurements.pattern.numbers['terminal_fraud_rate']).toBeGreaterThan(0.5)
  })

  it('at a terminal are believed for weeks, until honest orders clear it', () => {
    const till = { edge_device_id: 'till', order_type: 'in_store' as const }
    const facts = (days: number) =>
      orderFacts({ ...till, profile_id: customerId(8), ordered_at_ms: AFTER + days * DAY })
    const shop = decided('confirmed_fraud', till)
    const weekLater = shop.order(facts(7)).measurements.pattern
    expect(weekLater.finding).toBe('recent_frauds')
    expect(weekLater.score).toBeGreaterThanOrEqual(50)
    expect(weekLater.numbers['terminal_tampered']).toBeGreaterThan(0.7)
    for (let day = 0; day < 4; day += 1) {
      const order = { facts: facts(day), risk_score: 60, scored_at_ms: AFTER + day * DAY }
      decideOn(shop, order, 'legitimate', AFTER + (7 + day) * DAY)
    }
    expect(shop.order(facts(11)).risk.signals.pattern).toBeLessThan(15)
  })

  it('at a busy till do not condemn it where nobody decides about the other orders', () => {
    const till = { edge_device_id: 'till', order_type: 'in_store' as const }
    const shop = decided('confirmed_fraud', till)
    for (let i = 0; i < 100; i += 1) {
      const ordered_at_ms = AFTER - DAY + i * 12 * 60_000
      shop.order({ ...till, profile_id: customerId(20 + i), ordered_at_ms })
    }
    const next = { ...till, profile_id: customerId(8), ordered_at_ms: AFTER }
    expect(shop.order(next).risk.signals.pattern).toBeLessThan(15)
  })

  it('on a device raise the next order from it', () => {
    const phone = { fingerprint_hash: 'phone' }
    const next = { ...phone, profile_id: customerId(0), ordered_at_ms: AFTER }
    const calm = decided('legitimate', phone).order(next).risk.signals.device_anomaly
    const { risk, measurements } = decided('confirmed_fraud', phone).order(next)
    expect(risk.signals.device_anomaly).toBeGreaterThan(calm)
    expect(measurements.device_anomaly.numbers['device_fraud_rate']).toBeGreaterThan(0.3)
  })

  it('of a profile raise its next order, and fade within weeks', () => {
    const own = { profile_id: customerId(0) }
    const shop = decided('confirmed_fraud', own)
    const soon = shop.order({ ...own, ordered_at_ms: AFTER }).risk.signals.pattern
    const late = shop.order({ ...own, ordered_at_ms: AFTER + 30 * DAY }).risk.signals.pattern
    expect(soon).toBeGreaterThanOrEqual(40)
    expect(late).toBe(0)
  })

  it('with an amount that the card never spends are not held against the terminal', () => {
    const till = { edge_device_id: 'till', order_type: 'in_store' as const }
    const next = { ...till, profile_id: customerId(8), ordered_at_ms: AFTER }
    const stolen = decided('confirmed_fraud', { ...till, amount_cents: 90_000 }).order(next)
    expect(stolen.risk.signals.pattern).toBeLessThan(15)
  })
})

describe('a decision that is changed', () => {
  it('leaves labels as if the first had never been made', () => {
    const facts = orderFacts({ profile_id: customerId(2), fingerprint_hash: 'f' })
    const labelsAfter = (...decisions: Decision[]) => {
      const shop = openKnownShop()
      const { risk } = shop.order(facts)
      const order = { facts, risk_score: risk.risk_score, scored_at_ms: START }
      let previous: EarlierDecision | undefined
      for (const decision of decisions) {
        decideOn(shop, order, decision, START + DAY, previous)
        previous = { decision, decided_at_ms: START + DAY }
      }
      const { profile, device, organization } = shop.read(facts)
      return [profile?.labels, device?.labels, organization?.labels].map((labels) => [
        labels?.fraud,
        labels?.legitimate,
      ])
    }
    expect(labelsAfter('legitimate', 'confirmed_fraud')).toEqual(labelsAfter('confirmed_fraud'))
    expect(labelsAfter('confirmed_fraud', 'legitimate')).toEqual(labelsAfter('legitimate'))
  })

  it('is taken back from the terminal, as from the store', () => {
    const places = [
      { edge_device_id: 'till' },
      { profile_id: undefined, location_name: 'Main street' },
    ]
    for (const place of places) {
      const facts = orderFacts({ ...place, ordered_at_ms: START })
      const after = (...decisions: Decision[]) => {
        const shop = openKnownShop()
        const order = { facts, risk_score: shop.order(facts).risk.risk_score, scored_at_ms: START }
        decisions.forEach((decision, i) => {
          const before = decisions[i - 1]
          const previous = before && { decision: before, decided_at_ms: START + DAY }
          decideOn(shop, order, decision, START + DAY, previous)
        })
        const { terminal, store } = shop.read(facts)
        return (terminal ?? store)?.odds?.odds ?? 0
      }
      expect(after('confirmed_fraud')).toBeGreaterThan(3)
      expect(after('confirmed_fraud', 'legitimate')).toBe(0)
      expect(after('legitimate', 'confirmed_fraud')).toBe(after('confirmed_fraud'))
    }
  })

  it('to the same decision changes nothing', () => {
    const shop = openKnownShop()
    const states = shop.read(orderFacts())
    const order = { facts: orderFacts(), risk_score: 80, scored_at_ms: START }
    const previous: EarlierDecision = { decision: 'legitimate', decided_at_ms: START }
    const next = learnDecision(
      order,
      'legitimate',
      previous,
      states,
      START + DAY,
      DEFAULT_ORDER_PARAMETERS,
    )
    expect(next).toBe(states)
  })
})

it('an order that was held back is learnt when it turns out to be legitimate', () => {
  const shop = openKnownShop()
  const facts = orderFacts({ profile_id: customerId(3), amount_cents: 400_000 })
  const { risk, next } = shop.order(facts)
  expect(risk.risk_score).toBeGreaterThanOrEqual(70)
  const order = { facts, risk_score: risk.risk_score, scored_at_ms: START }
  decideOn(shop, order, 'legitimate', START + DAY)
  const before = next.profile?.amounts[0]
  const after = shop.read(facts).profile?.amounts[0]
  expect(after?.mean).toBeGreaterThan(before?.mean ?? Number.POSITIVE_INFINITY)
})
