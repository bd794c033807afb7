import { describe, expect, it } from 'vitest'
import {
  customerId,
  openKnownShop,
  orderFacts,
  type Shop,
  START,
} from '../../../../test/support/scoring.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import {
  type DecidedOrder,
  type Decision,
  type EarlierDecision,
  learnDecision,
  type NewDecision,
} from './decision.ts'
import type { OrderFacts } from './facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'

const decideOn = (shop: Shop, order: DecidedOrder, decision: NewDecision): void => {
  const before = shop.read(order.facts)
  const next = learnDecision(order, decision, before, DEFAULT_ORDER_PARAMETERS)
  shop.write(order.facts, next)
}

/** Runs orders and decides each of them a week later. */
function decided(decision: Decision | undefined, some: Partial<OrderFacts>): Shop {
  const shop = openKnownShop()
  const orders = Array.from({ length: 4 }, (_, i) => {
    const facts = orderFacts({
      ...some,
      profile_id: some.profile_id ?? customerId(i),
      ordered_at_ms: START + i * HOUR_MS * 7,
    })
    const { risk } = shop.order(facts)
    return { facts, risk_score: risk.risk_score, scored_at_ms: facts.ordered_at_ms }
  })
  for (const order of orders) {
    if (decision) decideOn(shop, order, { decision, now_ms: order.scored_at_ms + 7 * DAY_MS })
  }
  return shop
}

const AFTER = START + 9 * DAY_MS

describe('confirmed frauds', () => {
  it('at a terminal raise the score of the next order there, by any customer', () => {
    const terminal = { edge_device_id: 'till', order_type: 'in_store' as const }
    const next = { ...terminal, profile_id: customerId(8), ordered_at_ms: AFTER }
    const calm = decided(undefined, terminal).order(next)
    const { risk, measurements } = decided('confirmed_fraud', terminal).order(next)
    expect(calm.risk.signals.pattern).toBe(0)
    expect(risk.signals.pattern).toBeGreaterThanOrEqual(50)
    expect(measurements.pattern.finding).toBe('recent_frauds')
    expect(measurements.pattern.numbers['terminal_fraud_rate']).toBeGreaterThan(0.5)
  })

  it('at a terminal count for weeks, until honest orders clear it', () => {
    const terminal = { edge_device_id: 'till', order_type: 'in_store' as const }
    const facts = (days: number) =>
      orderFacts({ ...terminal, profile_id: customerId(8), ordered_at_ms: AFTER + days * DAY_MS })
    const shop = decided('confirmed_fraud', terminal)
    const weekLater = shop.order(facts(7)).measurements.pattern
    expect(weekLater.finding).toBe('recent_frauds')
    expect(weekLater.score).toBeGreaterThanOrEqual(10)
    for (let day = 0; day < 4; day += 1) {
      const order = { facts: facts(day), risk_score: 60, scored_at_ms: AFTER + day * DAY_MS }
      decideOn(shop, order, { decision: 'legitimate', now_ms: AFTER + (7 + day) * DAY_MS })
    }
    expect(shop.order(facts(11)).risk.signals.pattern).toBeLessThan(15)
  })

  it('at a busy terminal do not condemn it when other orders stay undecided', () => {
    const terminal = { edge_device_id: 'till', order_type: 'in_store' as const }
    const shop = decided('confirmed_fraud', terminal)
    for (let i = 0; i < 100; i += 1) {
      const ordered_at_ms = AFTER - DAY_MS + i * 12 * 60_000
      shop.order({ ...terminal, profile_id: customerId(20 + i), ordered_at_ms })
    }
    const next = { ...terminal, profile_id: customerId(8), ordered_at_ms: AFTER }
    expect(shop.order(next).risk.signals.pattern).toBeLessThan(15)
  })

  it('on a device raise the score of the next order from it', () => {
    const phone = { fingerprint_hash: 'phone' }
    const next = { ...phone, profile_id: customerId(0), ordered_at_ms: AFTER }
    const calm = decided('legitimate', phone).order(next).risk.signals.device_anomaly
    const { risk, measurements } = decided('confirmed_fraud', phone).order(next)
    expect(risk.signals.device_anomaly).toBeGreaterThan(calm)
    expect(measurements.device_anomaly.numbers['device_fraud_rate']).toBeGreaterThan(0.3)
  })

  it('of a profile raise the score of its next order and fade within weeks', () => {
    const own = { profile_id: customerId(0) }
    const shop = decided('confirmed_fraud', own)
    const soon = shop.order({ ...own, ordered_at_ms: AFTER }).risk.signals.pattern
    const late = shop.order({ ...own, ordered_at_ms: AFTER + 30 * DAY_MS }).risk.signals.pattern
    expect(soon).toBeGreaterThanOrEqual(40)
    expect(late).toBe(0)
  })

  it('with an amount unusual for the profile are not blamed on the terminal', () => {
    const terminal = { edge_device_id: 'till', order_type: 'in_store' as const }
    const next = { ...terminal, profile_id: customerId(8), ordered_at_ms: AFTER }
    const stolen = decided('confirmed_fraud', { ...terminal, amount_cents: 90_000 }).order(next)
    expect(stolen.risk.signals.pattern).toBeLessThan(15)
  })
})

describe('a replaced decision', () => {
  it('leaves labels as if it had never been made', () => {
    const facts = orderFacts({ profile_id: customerId(2), fingerprint_hash: 'f' })
    const labelsAfter = (...decisions: Decision[]) => {
      const shop = openKnownShop()
      const { risk } = shop.order(facts)
      const order = { facts, risk_score: risk.risk_score, scored_at_ms: START }
      let previous: EarlierDecision | undefined
      for (const decision of decisions) {
        decideOn(shop, order, { decision, previous, now_ms: START + DAY_MS })
        previous = { decision, decided_at_ms: START + DAY_MS }
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

  it('is taken back from the terminal and from the store', () => {
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
          const previous = before && { decision: before, decided_at_ms: START + DAY_MS }
          decideOn(shop, order, { decision, previous, now_ms: START + DAY_MS })
        })
        const { terminal, store } = shop.read(facts)
        const outcomes = (terminal ?? store)?.outcomes
        return [outcomes?.fraud, outcomes?.legitimate]
      }
      expect(after('confirmed_fraud')[0]?.[2]).toBeGreaterThan(0.5)
      expect(after('confirmed_fraud', 'legitimate')).toEqual(after('legitimate'))
      expect(after('legitimate', 'confirmed_fraud')).toEqual(after('confirmed_fraud'))
    }
  })

  it('with the same decision changes nothing', () => {
    const shop = openKnownShop()
    const states = shop.read(orderFacts())
    const order = { facts: orderFacts(), risk_score: 80, scored_at_ms: START }
    const previous: EarlierDecision = { decision: 'legitimate', decided_at_ms: START }
    const next = learnDecision(
      order,
      { decision: 'legitimate', previous, now_ms: START + DAY_MS },
      states,
      DEFAULT_ORDER_PARAMETERS,
    )
    expect(next).toBe(states)
  })
})

it('a held-back order is learned when it turns out to be legitimate', () => {
  const shop = openKnownShop()
  const facts = orderFacts({ profile_id: customerId(3), amount_cents: 400_000 })
  const { risk, next } = shop.order(facts)
  expect(risk.risk_score).toBeGreaterThanOrEqual(65)
  const order = { facts, risk_score: risk.risk_score, scored_at_ms: START }
  decideOn(shop, order, { decision: 'legitimate', now_ms: START + DAY_MS })
  const before = next.profile?.amounts[0]
  const after = shop.read(facts).profile?.amounts[0]
  expect(after?.mean).toBeGreaterThan(before?.mean ?? Number.POSITIVE_INFINITY)
})
