/** Stories of attacks and of honest customers, from the first order to the score. */
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
import { REVIEW_SCORE } from './scoring.ts'

const NEWCOMER = customerId(900)
const scoreOf = (shop: Shop, some: Partial<OrderFacts>) => shop.order(some).risk.risk_score

/** Hourly orders of one new account on a new device. */
const bustOut = (shop: Shop, amount_cents: number, orders: number): number[] =>
  Array.from({ length: orders }, (_, i) =>
    scoreOf(shop, {
      profile_id: NEWCOMER,
      fingerprint_hash: 'new device',
      amount_cents,
      ordered_at_ms: START + i * HOUR_MS,
    }),
  )

/** An order of 900.00 by each of many new accounts, one an hour. */
function probe(shop: Shop, accounts: number): void {
  for (let i = 0; i < accounts; i += 1) {
    shop.order({
      profile_id: customerId(1000 + i),
      amount_cents: 90_000,
      ordered_at_ms: START + i * HOUR_MS,
    })
  }
}

describe('a new account', () => {
  it.each([5_000_000, 999_900])('stays in review for order after order of %d', (amount_cents) => {
    const scores = bustOut(openKnownShop(), amount_cents, 8)
    expect(scores.filter((score) => score < REVIEW_SCORE)).toEqual([])
  })

  it('is in review at the second of several large orders', () => {
    const [, ...later] = bustOut(openKnownShop(), 25_000, 5)
    expect(later.filter((score) => score < REVIEW_SCORE)).toEqual([])
  })

  it('is in review when many ordinary amounts add up within a day', () => {
    expect(bustOut(openKnownShop(), 9_000, 6).at(-1)).toBeGreaterThanOrEqual(REVIEW_SCORE)
  })

  it('may order twice on its first day', () => {
    expect(Math.max(...bustOut(openKnownShop(), 7_000, 2))).toBeLessThan(25)
  })

  it('that buys a lot is believed when no one objects for a week', () => {
    const shop = openKnownShop()
    const large = (day: number) =>
      scoreOf(shop, {
        profile_id: NEWCOMER,
        amount_cents: 25_000,
        ordered_at_ms: START + day * DAY_MS,
      })
    const scores = Array.from({ length: 12 }, (_, i) => large(i * 4))
    expect(scores.at(-1)).toBeLessThan(25)
  })

  it('that buys a lot is believed once its orders were decided to be legitimate', () => {
    const shop = openKnownShop()
    const scores = Array.from({ length: 9 }, (_, i) => {
      const facts = orderFacts({
        profile_id: NEWCOMER,
        amount_cents: 30_000,
        ordered_at_ms: START + i * 2 * DAY_MS,
      })
      const { risk } = shop.order(facts)
      const scored_at_ms = facts.ordered_at_ms
      const order = { facts, risk_score: risk.risk_score, scored_at_ms }
      const decision = { decision: 'legitimate' as const, now_ms: scored_at_ms + HOUR_MS }
      const parameters = DEFAULT_ORDER_PARAMETERS
      shop.write(facts, learnDecision(order, decision, shop.read(facts), parameters))
      return risk.risk_score
    })
    expect(scores.at(-1)).toBeLessThan(REVIEW_SCORE)
  })
})

describe('a new account of a business', () => {
  it('is not in review where other businesses have long bought as much', () => {
    const shop = openKnownShop()
    for (let day = 0; day < 60; day += 1) {
      for (const business of [700, 701, 702]) {
        const amount_cents = 40_000 + ((day * 11 + business) % 31) * 1000
        const at = START + day * DAY_MS + business * 1000
        shop.order({ profile_id: customerId(business), amount_cents, ordered_at_ms: at })
      }
    }
    const at = START + 60 * DAY_MS
    const first = { profile_id: NEWCOMER, amount_cents: 60_000, ordered_at_ms: at }
    expect(scoreOf(shop, first)).toBeLessThan(25)
    expect(scoreOf(openKnownShop(), first)).toBeGreaterThanOrEqual(REVIEW_SCORE)
  })
})

describe('throw-away accounts with large orders', () => {
  const largeOrder = { profile_id: customerId(3), amount_cents: 40_000 }

  it('do not change what is unusual for a loyal customer', () => {
    const [quiet, probed] = [openKnownShop(), openKnownShop()]
    probe(probed, 12)
    const at = { ...largeOrder, ordered_at_ms: START + DAY_MS }
    const [before, after] = [scoreOf(quiet, at), scoreOf(probed, at)]
    expect(before).toBeGreaterThanOrEqual(REVIEW_SCORE)
    expect(after).toBeGreaterThanOrEqual(before - 5)
  })

  it('do not change what is unusual for the next newcomer', () => {
    const [quiet, probed] = [openKnownShop(), openKnownShop()]
    probe(probed, 12)
    const at = { profile_id: NEWCOMER, amount_cents: 25_000, ordered_at_ms: START + DAY_MS }
    expect(scoreOf(probed, at)).toBeGreaterThanOrEqual(scoreOf(quiet, at) - 5)
  })
})

describe('a loyal customer on a known device', () => {
  it('is not critical for an amount alone', () => {
    const shop = openKnownShop()
    const own = { profile_id: customerId(1), fingerprint_hash: 'own' }
    for (let day = 0; day < 5; day += 1) {
      shop.order({ ...own, ordered_at_ms: START + day * DAY_MS })
    }
    const score = scoreOf(shop, {
      ...own,
      amount_cents: 2_000_000,
      ordered_at_ms: START + 6 * DAY_MS,
    })
    expect(score).toBeGreaterThanOrEqual(REVIEW_SCORE)
    expect(score).toBeLessThan(70)
  })

  it.each([
    ['5 % an order', 1.05, DAY_MS],
    ['4 % an order, twice a day', 1.04, DAY_MS / 2],
    ['10 % an order, every second day', 1.1, 2 * DAY_MS],
  ])('that spends %s more is in review before four times the usual', (_, factor, every) => {
    const shop = openKnownShop()
    let [amount_cents, at, score] = [5000, START, 0]
    while (score < REVIEW_SCORE && amount_cents < 20_000) {
      amount_cents = Math.round(amount_cents * factor)
      at += every
      score = scoreOf(shop, { profile_id: customerId(1), amount_cents, ordered_at_ms: at })
    }
    expect(score).toBeGreaterThanOrEqual(REVIEW_SCORE)
  })

  it('may spend twice the usual from now on', () => {
    const shop = openKnownShop()
    const scores = Array.from({ length: 60 }, (_, i) =>
      scoreOf(shop, {
        profile_id: customerId(1),
        amount_cents: 8000 + ((i * 7) % 41) * 100,
        ordered_at_ms: START + (i + 1) * DAY_MS,
      }),
    )
    expect(Math.max(...scores.slice(10))).toBeLessThan(REVIEW_SCORE)
  })
})

describe('an anonymous order', () => {
  it('at a terminal with few orders is compared with the organization, too', () => {
    const shop = openKnownShop()
    const guest = { profile_id: undefined, amount_cents: 25_000 }
    const without = scoreOf(shop, { ...guest, ordered_at_ms: START })
    for (let i = 0; i < 3; i += 1) {
      const at = START + i * 2 * HOUR_MS
      shop.order({ ...guest, edge_device_id: 'till', ordered_at_ms: at })
    }
    const at_till = { ...guest, edge_device_id: 'till', ordered_at_ms: START + DAY_MS }
    expect(scoreOf(shop, at_till)).toBeGreaterThanOrEqual(without - 5)
  })
})

describe('stolen cards', () => {
  const tried = { profile_id: undefined, amount_cents: 137 }
  const scoresOf = (some: Partial<OrderFacts>, seconds: number) => {
    const shop = openKnownShop()
    return Array.from({ length: 12 }, (_, i) =>
      scoreOf(shop, { ...tried, ...some, ordered_at_ms: START + i * seconds * 1000 }),
    )
  }

  it.each([5, 120])(
    'tried out by guests from one address, %d seconds apart, are found',
    (seconds) => {
      const scores = scoresOf({ ip_hash: 'one' }, seconds)
      expect(scores[0]).toBeLessThan(25)
      expect(scores[7]).toBeGreaterThanOrEqual(REVIEW_SCORE)
    },
  )

  it('tried out without any key are found by the rate of the organization', () => {
    expect(scoresOf({}, 5).at(-1)).toBeGreaterThanOrEqual(REVIEW_SCORE)
  })

  it('paid by crypto on a large first order are at least medium', () => {
    const order = { profile_id: NEWCOMER, fingerprint_hash: 'new', amount_cents: 50_000 }
    const score = scoreOf(openKnownShop(), { ...order, payment_method: 'crypto' })
    expect(score).toBeGreaterThanOrEqual(25)
  })
})

describe('coordinates outside of the stated country', () => {
  it('are a finding for customers and guests', () => {
    const lagos = { latitude: 6.5, longitude: 3.4, country: 'DE', ordered_at_ms: START + DAY_MS }
    for (const profile_id of [customerId(1), undefined]) {
      const shop = openKnownShop()
      const plain = shop.order({ ...lagos, profile_id })
      const { measurements, risk } = shop.order({ ...lagos, profile_id, is_outside_country: true })
      expect(measurements.location_anomaly.finding).toBe('country_mismatch')
      expect(risk.risk_score).toBeGreaterThan(plain.risk.risk_score)
      expect(risk.risk_level).toBe('medium')
    }
  })
})

describe('a device with a critical order that no one has decided', () => {
  const phone = { fingerprint_hash: 'thief', ordered_at_ms: START + DAY_MS }
  const takeover = { ...phone, profile_id: customerId(2), amount_cents: 400_000, country: 'BR' }

  function taken() {
    const shop = openKnownShop()
    for (let day = 0; day < 4; day += 1) {
      const at = { country: 'DE', fingerprint_hash: 'own', ordered_at_ms: START - day * DAY_MS }
      shop.order({ profile_id: customerId(2), ...at })
    }
    const facts = orderFacts(takeover)
    const { risk } = shop.order(facts)
    expect(risk.risk_score).toBeGreaterThanOrEqual(70)
    return { shop, facts, risk_score: risk.risk_score }
  }

  it('counts against the next account there until it is decided', () => {
    const next = { ...phone, profile_id: NEWCOMER, ordered_at_ms: START + DAY_MS + HOUR_MS }
    const { shop, facts, risk_score } = taken()
    expect(scoreOf(shop, next)).toBeGreaterThanOrEqual(REVIEW_SCORE)
    const order = { facts, risk_score, scored_at_ms: facts.ordered_at_ms }
    const decision = { decision: 'legitimate' as const, now_ms: facts.ordered_at_ms + HOUR_MS }
    const states = shop.read(facts)
    shop.write(facts, learnDecision(order, decision, states, DEFAULT_ORDER_PARAMETERS))
    expect(scoreOf(shop, { ...next, profile_id: customerId(901) })).toBeLessThan(REVIEW_SCORE)
  })
})
