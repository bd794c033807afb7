import { describe, expect, it } from 'vitest'
import { SCENARIOS, type Scenario } from '../../../world/events.ts'
import { distanceKm } from '../../../world/places.ts'
import { DAY_MS, HOUR_MS } from '../../../world/time.ts'
import type { ShopOrder } from '../facts.ts'
import { FIRST_DAY_MS, QUICK_SHOP_SIZE, simulateShop } from './shop.ts'

const orders = simulateShop(1, QUICK_SHOP_SIZE)
const clean = orders.filter(({ truth }) => !truth.is_fraud)

function episodes(scenario: Scenario): ShopOrder[][] {
  const found = new Map<number, ShopOrder[]>()
  for (const order of orders) {
    const { truth } = order
    if (!truth.is_fraud || truth.scenario !== scenario) continue
    found.set(truth.episode, [...(found.get(truth.episode) ?? []), order])
  }
  return [...found.values()]
}

const position = ({ facts }: ShopOrder) => ({
  latitude: facts.latitude ?? NaN,
  longitude: facts.longitude ?? NaN,
})

describe('the shop', () => {
  it('is the same for the same seed and another for another', () => {
    const size = { ...QUICK_SHOP_SIZE, customers: 200 }
    expect(simulateShop(2, size)).toEqual(simulateShop(2, size))
    expect(simulateShop(3, size)).not.toEqual(simulateShop(2, size))
  })

  it('returns orders by arrival, none before it was made', () => {
    const arrivals = orders.map(({ arrives_ms }) => arrives_ms)
    expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b))
    expect(orders.every(({ arrives_ms, facts }) => arrives_ms >= facts.ordered_at_ms)).toBe(true)
  })

  it('returns facts that the service would accept', () => {
    const wrong = orders.filter(({ facts }) => {
      const isWhole = Number.isInteger(facts.amount_cents) && Number.isInteger(facts.ordered_at_ms)
      const isPlaced = (facts.latitude === undefined) === (facts.longitude === undefined)
      return (
        !isWhole ||
        facts.amount_cents < 0 ||
        !isPlaced ||
        !(facts.local_hour in [...Array(24).keys()])
      )
    })
    expect(wrong).toEqual([])
  })

  it('lists items that add up to the total, except for shipping and vouchers', () => {
    const listed = clean.filter(({ facts }) => facts.items.length > 0)
    const strange = listed.filter(({ facts }) => {
      const goods = facts.items.reduce((sum, { total_price_cents }) => sum + total_price_cents, 0)
      const extra = facts.amount_cents - goods
      return extra < -0.1 * goods - 1 || extra > 495
    })
    expect(listed.length).toBeGreaterThan(0)
    expect(strange).toEqual([])
  })

  it('has shared devices, late tills, orders without a place, and guests', () => {
    const users = new Map<string, Set<string>>()
    for (const { facts } of clean) {
      const { fingerprint_hash, profile_id, edge_device_id } = facts
      if (!fingerprint_hash || !profile_id || edge_device_id) continue
      users.set(fingerprint_hash, (users.get(fingerprint_hash) ?? new Set()).add(profile_id))
    }
    const share = (isSo: (order: ShopOrder) => boolean) => clean.filter(isSo).length / clean.length
    expect([...users.values()].filter((each) => each.size > 1).length).toBeGreaterThan(5)
    expect(share(({ arrives_ms, facts }) => arrives_ms > facts.ordered_at_ms)).toBeGreaterThan(0)
    expect(share(({ facts }) => facts.latitude === undefined)).toBeGreaterThan(0.05)
    expect(share(({ facts }) => facts.profile_id === undefined)).toBeGreaterThan(0.2)
  })
})

describe('fraud in the shop', () => {
  it.each(SCENARIOS)(
    'has the configured number of episodes after the first weeks: %s',
    (scenario) => {
      const all = episodes(scenario)
      expect(all).toHaveLength(QUICK_SHOP_SIZE.episodes_per_scenario)
    },
  )

  it('travels farther than anyone can in the time since the last order', () => {
    for (const attack of episodes('impossible_travel')) {
      const first = attack[0]
      if (!first) continue
      const last = clean.findLast(
        ({ facts }) =>
          facts.profile_id === first.facts.profile_id &&
          facts.latitude !== undefined &&
          facts.ordered_at_ms < first.facts.ordered_at_ms,
      )
      expect(last).toBeDefined()
      if (!last) continue
      const hours = (first.facts.ordered_at_ms - last.facts.ordered_at_ms) / HOUR_MS
      expect(distanceKm(position(first), position(last)) / hours).toBeGreaterThan(450)
    }
  })

  it('bursts within an hour, farms with many profiles on few devices, tests with tiny amounts', () => {
    for (const attack of episodes('velocity_burst')) {
      const times = attack.map(({ facts }) => facts.ordered_at_ms)
      expect(attack.length).toBeGreaterThanOrEqual(6)
      expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(HOUR_MS)
    }
    for (const attack of episodes('device_farm')) {
      expect(new Set(attack.map(({ facts }) => facts.profile_id)).size).toBeGreaterThanOrEqual(8)
      expect(new Set(attack.map(({ facts }) => facts.fingerprint_hash)).size).toBeLessThanOrEqual(3)
    }
    for (const attack of episodes('card_testing')) {
      expect(attack.length).toBeGreaterThanOrEqual(10)
      expect(attack.every(({ facts }) => facts.amount_cents <= 500)).toBe(true)
    }
  })

  it('takes over known accounts with a device that was never theirs', () => {
    for (const order of episodes('account_takeover').flat()) {
      const own = clean.filter(({ facts }) => facts.profile_id === order.facts.profile_id)
      expect(own.length).toBeGreaterThanOrEqual(3)
      expect(own.some(({ facts }) => facts.fingerprint_hash === order.facts.fingerprint_hash)).toBe(
        false,
      )
    }
  })

  it('begins after the first weeks and ends with the world', () => {
    const frauds = orders.filter(
      ({ truth }) => truth.is_fraud && truth.scenario !== 'impossible_travel',
    )
    const { warm_up_days, days } = QUICK_SHOP_SIZE
    const inDays = frauds.map(({ facts }) => (facts.ordered_at_ms - FIRST_DAY_MS) / DAY_MS)
    expect(Math.min(...inDays)).toBeGreaterThan(warm_up_days - 2)
    expect(Math.max(...inDays)).toBeLessThan(days + 2)
  })
})
