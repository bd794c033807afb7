import { describe, expect, it } from 'vitest'
import {
  customerId,
  NO_STATES,
  openKnownShop,
  openShop,
  orderFacts,
  START,
} from '../../../../test/support/scoring.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'
import { REVIEW_SCORE, scoreOrder } from './scoring.ts'

const known = (some: Parameters<ReturnType<typeof openShop>['order']>[0] = {}) => ({
  profile_id: customerId(1),
  ordered_at_ms: START,
  ...some,
})

describe('an order of a known customer', () => {
  it('scores next to nothing when everything is usual', () => {
    const { risk } = openKnownShop().order(known())
    expect(risk).toMatchObject({ risk_level: 'low', flags: [], flagged_for_review: false })
    expect(risk.risk_score).toBeLessThan(5)
  })

  it('is flagged for an unusual amount, with the numbers behind it', () => {
    const { risk, measurements } = openKnownShop().order(known({ amount_cents: 60_000 }))
    expect(risk.flags).toEqual(['amount_anomaly'])
    expect(risk.flagged_for_review).toBe(true)
    expect(measurements.amount_anomaly.finding).toBe('unusually_large')
    expect(measurements.amount_anomaly.numbers['expected_cents']).toBeGreaterThan(4000)
    expect(measurements.amount_anomaly.numbers['z']).toBeGreaterThan(5)
  })

  it('can be followed by a second one within minutes', () => {
    const shop = openKnownShop()
    shop.order(known())
    const { risk } = shop.order(known({ ordered_at_ms: START + 2 * MINUTE_MS }))
    expect(risk.signals.velocity).toBe(0)
  })

  it('is flagged when it is the fifth within five minutes', () => {
    const shop = openKnownShop()
    const scores = [0, 1, 2, 3, 4].map(
      (i) => shop.order(known({ ordered_at_ms: START + i * MINUTE_MS })).risk,
    )
    expect(scores.at(-1)?.flags).toContain('high_velocity')
    expect(scores.at(-1)?.flagged_for_review).toBe(true)
  })

  it('at an unusual hour alone never reaches review', () => {
    const shop = openKnownShop()
    for (let day = 0; day < 60; day += 1) {
      const at = START + day * DAY_MS
      expect(shop.order(known({ ordered_at_ms: at })).risk.risk_score).toBeLessThan(25)
    }
    const { risk } = shop.order(known({ ordered_at_ms: START + 60 * DAY_MS, local_hour: 4 }))
    expect(risk.signals.time_anomaly).toBeGreaterThanOrEqual(30)
    expect(risk.risk_score).toBeLessThan(REVIEW_SCORE)
  })

  it('reports a change of the profile’s risk level once', () => {
    const shop = openKnownShop()
    const first = shop.order(known({ amount_cents: 100_000 }))
    const later = [1, 2, 3].map((hours) =>
      shop.order(known({ amount_cents: 100_000, ordered_at_ms: START + hours * HOUR_MS })),
    )
    const levels = [first, ...later].map(({ previous_risk_level }) => previous_risk_level)
    expect(levels.filter((level) => level !== undefined)).toEqual(
      [...new Set(levels)].filter(Boolean),
    )
    expect(levels[0]).toBe('low')
  })
})

describe('bursts of tiny orders', () => {
  const tiny = (minute: number) => ({
    profile_id: undefined,
    amount_cents: 100,
    ordered_at_ms: START + minute * MINUTE_MS,
  })

  it('are found on a device of anonymous customers', () => {
    const shop = openKnownShop()
    const scores = Array.from(
      { length: 8 },
      (_, i) => shop.order({ ...tiny(i * 2), fingerprint_hash: 'f' }).risk,
    )
    expect(scores.at(0)?.risk_score).toBeLessThan(25)
    expect(scores.at(-1)?.flags).toContain('high_velocity')
  })

  it('are found at a terminal with an otherwise usual queue', () => {
    const shop = openKnownShop()
    const terminal = { edge_device_id: 'till', order_type: 'in_store' as const }
    for (let i = 0; i < 60; i += 1) {
      const at = START - DAY_MS + i * 4 * MINUTE_MS
      const { risk } = shop.order({
        ...tiny(0),
        ...terminal,
        amount_cents: 4500,
        ordered_at_ms: at,
      })
      expect(risk.signals.velocity).toBe(0)
    }
    const scores = Array.from(
      { length: 12 },
      (_, i) => shop.order({ ...tiny(i), ...terminal }).risk,
    )
    expect(scores.at(-1)?.flags).toContain('high_velocity')
  })

  it('are usual for a kiosk and no finding there', () => {
    const shop = openShop()
    const scores = Array.from(
      { length: 200 },
      (_, i) => shop.order({ ...tiny(i), edge_device_id: 'kiosk' }).risk.risk_score,
    )
    expect(Math.max(...scores)).toBeLessThan(25)
  })
})

describe('a new organization', () => {
  it('has no order flagged by statistics', () => {
    const shop = openShop()
    for (let i = 0; i < 30; i += 1) {
      const { risk } = shop.order({
        profile_id: customerId(i % 3),
        amount_cents: i % 10 === 9 ? 5_000_000 : 1000,
        ordered_at_ms: START + i * HOUR_MS,
        local_hour: i % 24,
      })
      expect(risk.risk_score).toBeLessThan(REVIEW_SCORE)
      expect(risk.flags).toEqual([])
    }
  })

  it('is protected by hard rules from the first order', () => {
    const reputation = { device: 90, ip: 0, profile: 0 }
    const facts = orderFacts({ fingerprint_hash: 'f', reputation })
    const { risk } = scoreOrder(facts, NO_STATES, START, DEFAULT_ORDER_PARAMETERS)
    expect(risk.flags).toContain('pattern_anomaly')
    expect(risk.flagged_for_review).toBe(true)

    const shop = openShop()
    const flags = Array.from({ length: 6 }, () => shop.order().risk.flags)
    expect(flags.at(-1)).toContain('high_velocity')
  })
})

describe('an attacker who raises amounts slowly', () => {
  it.each([
    ['5 % more every day', 1.05, DAY_MS],
    ['10 % more every hour', 1.1, HOUR_MS],
    ['2 % more every four hours', 1.02, 4 * HOUR_MS],
  ])('is flagged before ten times the usual amount: %s', (_, factor, every) => {
    const shop = openKnownShop()
    let [amount_cents, at, isFlagged] = [5000, START, false]
    while (!isFlagged && amount_cents < 50_000) {
      amount_cents = Math.round(amount_cents * factor)
      at += every
      isFlagged = shop.order(known({ amount_cents, ordered_at_ms: at })).risk.flagged_for_review
    }
    expect(isFlagged).toBe(true)
  })

  it('teaches nothing with held-back orders', () => {
    const shop = openKnownShop()
    const before = shop.read(orderFacts(known())).profile
    const { risk, next } = shop.order(known({ amount_cents: 10_000_000 }))
    expect(risk.risk_score).toBeGreaterThanOrEqual(65)
    expect(next.profile?.amounts).toBe(before?.amounts)
    expect(next.profile?.hours).toBe(before?.hours)
    expect(next.profile?.total_orders).toBe((before?.total_orders ?? 0) + 1)
    expect(next.profile?.velocity).not.toBe(before?.velocity)
  })
})

describe('an alert', () => {
  const known_bad = { fingerprint_hash: 'f', reputation: { device: 90, ip: 0, profile: 0 } }

  it('is raised once per profile and pattern in 24 hours', () => {
    const shop = openShop()
    const alertsAt = (hours: number) =>
      shop.order({ ...known_bad, ordered_at_ms: START + hours * HOUR_MS }).alerts
    expect([0, 1, 23, 24, 25].map(alertsAt)).toEqual([
      ['shared_reputation'],
      [],
      [],
      ['shared_reputation'],
      [],
    ])
  })

  it('is raised once per device for anonymous orders', () => {
    const shop = openShop()
    const alerts = [1, 2].map(() => shop.order({ ...known_bad, profile_id: undefined }).alerts)
    expect(alerts).toEqual([['shared_reputation'], []])
  })
})
