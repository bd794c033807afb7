/** Learning from orders that are held back only for a new place or device. */
import { describe, expect, it } from 'vitest'
import {
  customerId,
  openKnownShop,
  orderFacts,
  type Shop,
  START,
} from '../../../../test/support/scoring.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { learnDecision } from './decision.ts'
import type { OrderFacts } from './facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'

const LISBON = { latitude: 38.72, longitude: -9.14, country: 'PT' }
const BERLIN = { latitude: 52.52, longitude: 13.4, country: 'DE' }
const BUYER = customerId(1)

/** A customer without known places who then orders from abroad three times. */
function abroad(): Shop {
  const shop = openKnownShop()
  for (let day = 0; day < 3; day += 1) {
    const at = { ...LISBON, fingerprint_hash: 'old', ordered_at_ms: START + day * DAY_MS }
    shop.order({ profile_id: BUYER, amount_cents: 5000, ...at })
  }
  return shop
}

/** Orders at home with a new browser each time, days after the last order. */
const atHome = (days: number, some: Partial<OrderFacts> = {}): Partial<OrderFacts> => ({
  profile_id: BUYER,
  amount_cents: 5000,
  fingerprint_hash: `new ${days}`,
  ordered_at_ms: START + days * DAY_MS,
  ...BERLIN,
  ...some,
})
const scoreOf = (shop: Shop, some: Partial<OrderFacts>) => shop.order(some).risk.risk_score

describe('an honest traveler whose first place was abroad', () => {
  it('is held back at home once, and known there on another day', () => {
    const shop = abroad()
    const scores = [12, 17, 23, 30].map((day) => scoreOf(shop, atHome(day)))
    expect(scores.slice(0, 2).every((score) => score >= 70)).toBe(true)
    expect(scores.slice(2).every((score) => score < 50)).toBe(true)
  })

  it('is also known when never twice in the same part of the country', () => {
    const shop = abroad()
    const cities = [
      BERLIN,
      { latitude: 48.1, longitude: 11.6 },
      { latitude: 50.9, longitude: 7 },
      { latitude: 53.6, longitude: 10 },
    ]
    const scores = cities.map((city, i) =>
      scoreOf(shop, atHome(12 + i * 6, { ...city, country: 'DE' })),
    )
    expect(scores[0]).toBeGreaterThanOrEqual(70)
    expect(scores[3]).toBeLessThan(50)
  })
})

describe('an account takeover', () => {
  it('stays flagged within a day for any number of orders', () => {
    const shop = abroad()
    const hours = [0, 2, 5, 9, 14, 19, 23.9]
    const scores = hours.map((hour) =>
      scoreOf(shop, atHome(12 + hour / 24, { fingerprint_hash: 'thief' })),
    )
    expect(scores.every((score) => score >= 70)).toBe(true)
  })

  it('does not become known by backdated orders', () => {
    const shop = abroad()
    const arrival = START + 12 * DAY_MS
    for (const days of [0, 3, 6, 9]) {
      const facts = atHome(12 - days, { fingerprint_hash: 'thief' })
      shop.order(facts, arrival + days)
    }
    const { next } = shop.order(atHome(12.01, { fingerprint_hash: 'thief' }))
    expect(next.profile?.places.countries.map(([country]) => country)).toEqual(['PT'])
  })

  it('does not become known by large amounts on any day', () => {
    const shop = abroad()
    const scores = [12, 14, 16, 18].map((day) =>
      scoreOf(shop, atHome(day, { amount_cents: 40_000, fingerprint_hash: 'thief' })),
    )
    expect(scores.every((score) => score >= 70)).toBe(true)
  })

  it('starts over when the owner was elsewhere, or when fraud is confirmed', () => {
    const owner = abroad()
    owner.order(atHome(12))
    owner.order({ ...atHome(13), ...LISBON, fingerprint_hash: 'old' })
    expect(owner.order(atHome(14)).next.profile?.places.countries).toHaveLength(1)

    const shop = abroad()
    const facts = orderFacts(atHome(12))
    const { risk } = shop.order(facts)
    const order = { facts, risk_score: risk.risk_score, scored_at_ms: facts.ordered_at_ms }
    const states = shop.read(facts)
    const now = facts.ordered_at_ms + HOUR_MS
    shop.write(
      facts,
      learnDecision(
        order,
        { decision: 'confirmed_fraud', now_ms: now },
        states,
        DEFAULT_ORDER_PARAMETERS,
      ),
    )
    expect(shop.order(atHome(14)).next.profile?.places.countries).toHaveLength(1)
  })
})

it('a held-back order teaches nothing but its place and device', () => {
  const shop = abroad()
  shop.order(atHome(12))
  const before = shop.read(orderFacts(atHome(12))).profile
  const { profile } = shop.order(atHome(15)).next
  expect(profile?.amounts).toBe(before?.amounts)
  expect(profile?.hours).toBe(before?.hours)
  expect(profile?.payments).toBe(before?.payments)
  expect(profile?.devices.count).toBe((before?.devices.count ?? 0) + 1)
  expect(profile?.places.doubtful).toBeUndefined()
})
