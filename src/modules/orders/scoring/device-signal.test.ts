import { describe, expect, it } from 'vitest'
import { NO_STATES, orderFacts } from '../../../../test/support/scoring.ts'
import type { Assessment } from '../../behavior/index.ts'
import { DEVICES_PARAMETERS, EMPTY_VELOCITY, learnLabel, shortHash } from '../../behavior/index.ts'
import {
  NEW_DEVICE,
  newProfile,
  type ProfileState,
  type ProfileType,
} from '../../profiles/index.ts'
import {
  assessDevice,
  isNewDevice,
  learnDevice,
  learnIp,
  learnOwnDevices,
  type OtherSignals,
} from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import type { DeviceState, OrderStates } from './states.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1)

const ORDER = orderFacts({ profile_id: 'p1', fingerprint_hash: 'new-phone', ordered_at_ms: NOW })
const quiet: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }
const far: Assessment = { score: 45, strength: 45, finding: 'new_country', numbers: {} }
const large = { own_z: 2.4 }
const usual: OtherSignals = { location: quiet, amount: { own_z: undefined } }
const use = (at_ms = NOW) => ({
  at_ms,
  velocity: EMPTY_VELOCITY,
  profile: undefined,
  risk_score: 0,
})

const assess = (
  facts: Partial<OrderFacts>,
  states: Partial<OrderStates>,
  others = usual,
): Assessment =>
  assessDevice(
    { ...ORDER, ...facts },
    { ...NO_STATES, ...states },
    { at_ms: NOW, ...others },
    {
      devices: DEVICES_PARAMETERS,
    },
  )

/** A month-old customer with twenty orders from one device. */
const settled = (profile_type: ProfileType = 'customer'): ProfileState => {
  const profile = newProfile(profile_type, NOW - 30 * DAY)
  const known = { ...ORDER, fingerprint_hash: 'old-phone' }
  const devices = learnOwnDevices(profile.devices, known, NOW - 30 * DAY)
  return { ...profile, devices, total_orders: 20 }
}

/** A device used by this many profiles, one per hour. */
const sharedBy = (people: number): DeviceState => {
  let device: DeviceState = NEW_DEVICE
  for (let i = 0; i < people; i += 1) {
    const facts = { ...ORDER, profile_id: `other-${i}` }
    device = learnDevice(device, facts, use(NOW - i * HOUR))
  }
  return device
}

describe('a new device', () => {
  it('of a settled customer counts little by itself', () => {
    expect(assess({}, { profile: settled() })).toMatchObject({ score: 10, finding: 'new_device' })
    expect(assess({ fingerprint_hash: 'old-phone' }, { profile: settled() }).score).toBe(0)
  })

  it('far away with a large amount is an account takeover', () => {
    const profile = settled()
    const found = [
      { location: far, amount: usual.amount },
      { location: quiet, amount: large },
      { location: far, amount: large },
    ].map((company) => assess({}, { profile }, company))
    expect(found.map(({ score, finding }) => [score, finding])).toEqual([
      [60, 'new_device_far_away'],
      [45, 'new_device_large_amount'],
      [85, 'account_takeover'],
    ])
    const owner = assess(
      { fingerprint_hash: 'old-phone' },
      { profile },
      { location: far, amount: large },
    )
    expect(owner.score).toBe(0)
  })

  it('is less suspicious for a customer who often has new ones', () => {
    const profile = settled()
    const devices = { ...profile.devices, count: 11 }
    const company = { location: far, amount: large }
    expect(assess({}, { profile: { ...profile, devices } }, company).score).toBe(48)
    const always = { ...profile.devices, count: 40 }
    expect(assess({}, { profile: { ...profile, devices: always } }, company).score).toBe(0)
  })

  it('is still new on the second day but not on the fourth', () => {
    const profile = settled()
    const used = (days: number): ProfileState => ({
      ...profile,
      devices: learnOwnDevices(profile.devices, ORDER, NOW - days * DAY),
    })
    const company = { location: far, amount: large }
    expect(assess({}, { profile: used(1) }, company).finding).toBe('account_takeover')
    expect(assess({}, { profile: used(4) }, company).score).toBe(0)
  })

  it('is no finding for a new customer', () => {
    const company = { location: far, amount: large }
    expect(assess({}, {}, company).score).toBe(0)
    expect(assess({}, { profile: newProfile('customer', NOW) }, company).score).toBe(0)
    expect(isNewDevice(ORDER, NO_STATES, NOW)).toBe(false)
  })
})

describe('a shared device', () => {
  it('counts by the number of profiles that used it', () => {
    expect(assess({}, { device: sharedBy(9) })).toMatchObject({
      score: 85,
      finding: 'shared_device',
      numbers: { profiles: 10 },
    })
  })

  it('is neither counted nor learned when it is a terminal of the shop', () => {
    const terminal = { edge_device_id: 'till-1' }
    expect(assess(terminal, { device: sharedBy(9) }).score).toBe(0)
    const facts = { ...ORDER, ...terminal }
    expect(learnDevice(NEW_DEVICE, facts, use()).users).toBe(NEW_DEVICE.users)
    const profile = settled()
    expect(learnOwnDevices(profile.devices, facts, NOW)).toBe(profile.devices)
  })

  it('is not counted when staff uses it', () => {
    for (const type of ['cashier', 'employee', 'system'] as const) {
      expect(assess({}, { profile: settled(type), device: sharedBy(9) }).score).toBe(0)
      const { users } = learnDevice(NEW_DEVICE, ORDER, { ...use(), profile: settled(type) })
      expect(users.profiles).toEqual([])
    }
  })

  it('learns no user from an anonymous order', () => {
    const anonymous = { ...ORDER, profile_id: undefined }
    expect(learnDevice(undefined, anonymous, use()).users.count).toBe(0)
  })
})

describe('a device that only its owner uses', () => {
  const order = { ...ORDER, fingerprint_hash: 'own-phone', ip_hash: 'home' }
  const learn = (device: DeviceState | undefined, facts: OrderFacts, at_ms = NOW) =>
    learnDevice(device, facts, countedAt(at_ms))
  const countedAt = (at: number) => ({ ...use(at), velocity: { ...EMPTY_VELOCITY, at } })
  const own = learn(undefined, order)
  const address = learnIp(undefined, order, countedAt(NOW))

  it('is not written with every order, nor is its address', () => {
    expect(own.velocity.at).toBe(NOW)
    expect(learn(own, order, NOW + HOUR)).toBe(own)
    expect(learn(own, order, NOW + 23 * HOUR)).toBe(own)
    expect(learn(own, order, NOW - HOUR)).toBe(own)
    const later = learnIp(address, order, countedAt(NOW + HOUR))
    expect(later).toBe(address)
  })

  it('is written after a day, so its last use is known to the day', () => {
    const next = learn(own, order, NOW + DAY)
    expect(next.velocity.at).toBe(NOW + DAY)
    expect(next.users.profiles[0]?.[2]).toBe((NOW + DAY) / HOUR)
  })

  it.each([
    ['a second profile', { ...order, profile_id: 'p2' }],
    ['an anonymous order', { ...order, profile_id: undefined }],
  ])('is counted with %s', (_, facts) => {
    expect(learn(own, facts, NOW + HOUR).velocity.at).toBe(NOW + HOUR)
    const ip = learnIp(address, facts, countedAt(NOW + HOUR))
    expect(ip.velocity.at).toBe(NOW + HOUR)
  })

  it('is counted for every profile once there is a second one', () => {
    const shared = learn(own, { ...order, profile_id: 'p2' }, NOW + HOUR)
    const next = learn(shared, order, NOW + 2 * HOUR)
    expect(next.velocity.at).toBe(NOW + 2 * HOUR)
    expect(next.labels.seen).toBeGreaterThan(2)
  })

  it.each(['confirmed_fraud', 'legitimate'] as const)(
    'is counted after a review decision: %s',
    (outcome) => {
      const decided = { ...own, labels: learnLabel(own.labels, outcome, NOW, 1) }
      const next = learn(decided, order, NOW + HOUR)
      expect(next.velocity.at).toBe(NOW + HOUR)
      expect(next.labels.seen).toBeGreaterThan(decided.labels.seen)
    },
  )
})

describe('a flagged device', () => {
  const labels = learnLabel(NEW_DEVICE.labels, 'confirmed_fraud', NOW - DAY, 1)
  const stolen: DeviceState = { ...NEW_DEVICE, labels }

  it('of a confirmed fraud counts at least 70, also for anonymous orders', () => {
    expect(assess({}, { device: stolen })).toMatchObject({ score: 70, finding: 'flagged_device' })
    expect(assess({ profile_id: undefined }, { device: stolen }).score).toBe(70)
  })

  it('counts by its checks from a score of 50', () => {
    expect(assess({ check_risk: 49 }, {}).score).toBe(0)
    expect(assess({ check_risk: 88 }, {})).toMatchObject({ score: 88, numbers: { told: 88 } })
  })
})

it('an address shared by many customers is weak evidence', () => {
  let ip = learnIp(undefined, ORDER, use())
  for (let i = 0; i < 40; i += 1) {
    ip = learnIp(ip, { ...ORDER, profile_id: `other-${i}` }, use())
  }
  expect(assess({ ip_hash: 'office' }, { ip })).toMatchObject({ score: 30, finding: 'shared_ip' })
})

it('keeps the numbers of every finding, not only those of the strongest', () => {
  const found = assess({ check_risk: 55 }, { profile: settled(), device: sharedBy(4) })
  expect(found).toMatchObject({
    score: 75,
    finding: 'shared_device',
    numbers: { profiles: 5, told: 55, devices_known: 1 },
  })
})

it('stores users by hash, not by name', () => {
  const device = learnDevice(undefined, ORDER, use())
  expect(device.users.profiles[0]?.[0]).toBe(shortHash('p1'))
  expect(JSON.stringify(device)).not.toContain('p1')
})
