import { describe, expect, it } from 'vitest'
import { NO_STATES, orderFacts } from '../../../../test/support/scoring.ts'
import { type Assessment, learnPayment, PAYMENTS_PARAMETERS } from '../../behavior/index.ts'
import { newProfile, type ProfileState } from '../../profiles/index.ts'
import { learnOwnDevices } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import { assessLocation } from './location-signal.ts'
import { DEFAULT_ORDER_PARAMETERS } from './parameters.ts'
import { assessPattern } from './pattern-signal.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 9, 1)
const ORDER = orderFacts({ profile_id: 'p1', ordered_at_ms: NOW })
const assess = (facts: Partial<OrderFacts>, profile?: ProfileState): Assessment =>
  assessPattern(
    { ...ORDER, ...facts },
    { ...NO_STATES, profile },
    { at_ms: NOW, amount: { who: 'settled', z: 0 } },
    { payments: PAYMENTS_PARAMETERS },
  )

/** A customer with ten card payments from one device. */
const payer = (): ProfileState => {
  let profile = newProfile('customer', NOW - 20 * DAY)
  for (let day = 10; day > 0; day -= 1) {
    const at_ms = NOW - day * DAY
    profile = {
      ...profile,
      payments: learnPayment(profile.payments, 'card', ORDER, at_ms),
      devices: learnOwnDevices(profile.devices, { ...ORDER, fingerprint_hash: 'own' }, at_ms),
    }
  }
  return profile
}

describe('shared reputation', () => {
  const known = (device: number, ip: number, profile: number): Partial<OrderFacts> => ({
    reputation: { device, ip, profile },
  })

  it('counts with its score, for an address at most 60', () => {
    expect(assess(known(80, 0, 0))).toMatchObject({ score: 80, finding: 'shared_reputation' })
    expect(assess(known(0, 80, 0)).score).toBe(60)
    expect(assess(known(30, 90, 80))).toMatchObject({
      score: 80,
      numbers: { device_reputation: 30, ip_reputation: 60, profile_reputation: 80 },
    })
    expect(assess(known(0, 0, 0))).toMatchObject({ score: 0, finding: null, numbers: {} })
  })

  it('of a shop’s terminal does not count against its customers', () => {
    expect(assess({ ...known(80, 80, 30), edge_device_id: 'till-1' }).score).toBe(30)
  })
})

describe('payment', () => {
  it('is compared with the usual payment method and devices of the profile', () => {
    const crypto = { payment_method: 'crypto', fingerprint_hash: 'own' } as const
    expect(assess(crypto, payer())).toMatchObject({ score: 50, finding: 'payment_switch' })
    expect(assess({ ...crypto, fingerprint_hash: 'other' }, payer())).toMatchObject({
      score: 60,
      finding: 'crypto_new_device',
    })
    expect(assess({ payment_method: 'card' }, payer()).score).toBe(0)
    expect(assess({ payment_method: 'crypto' }).score).toBe(0)
  })
})

it('items that do not match the total are weak evidence', () => {
  const line = {
    quantity: 1,
    unit_price_cents: 1000,
    total_price_cents: 1000,
    discount_cents: 0,
    discount_type: undefined,
  }
  expect(assess({ items: [line], amount_cents: 90_000 })).toMatchObject({
    score: 40,
    finding: 'total_mismatch',
  })
  expect(assess({ items: [line], amount_cents: 1190 }).score).toBe(0)
  expect(
    assess({ items: [{ ...line, quantity: 5000, total_price_cents: 5_000_000 }] }),
  ).toMatchObject({ finding: 'total_mismatch', numbers: { pieces: 5000 } })
})

describe('location', () => {
  const locate = (facts: Partial<OrderFacts>, profile?: ProfileState): Assessment =>
    assessLocation({ ...ORDER, ...facts }, { ...NO_STATES, profile }, NOW, DEFAULT_ORDER_PARAMETERS)

  it('is compared with the country of the profile', () => {
    const german = { ...newProfile('customer', NOW), country_code: 'DE' }
    expect(locate({ country: 'NG' }, german)).toMatchObject({ score: 45, finding: 'new_country' })
    expect(locate({ country: 'DE' }, german).score).toBe(0)
  })

  it('of an anonymous order is not assessed', () => {
    const german = { ...newProfile('customer', NOW), country_code: 'DE' }
    expect(locate({ profile_id: undefined, country: 'NG' }, german).score).toBe(0)
  })
})
