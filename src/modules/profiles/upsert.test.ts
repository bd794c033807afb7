import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEVICES_PARAMETERS, learnLabel } from '../behavior/index.ts'
import { riskOf } from './risk.ts'
import { type DeviceState, NEW_DEVICE, PROFILE_TYPES, type ProfileState } from './state.ts'
import { type ProfileFacts, type Upserted, type UpsertStates, upsertProfile } from './upsert.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1)

const NOTHING: ProfileFacts = {
  profile_id: 'p1',
  profile_type: undefined,
  fingerprint_hash: undefined,
  ip_hash: undefined,
  country_code: undefined,
  latitude: undefined,
  longitude: undefined,
  check_risk: 0,
  reputation: { device: 0, ip: 0, profile: 0 },
}

const NO_STATES: UpsertStates = { profile: undefined, device: undefined, ip: undefined }

const upsert = (
  facts: Partial<ProfileFacts>,
  before?: ProfileState,
  device?: DeviceState,
  now_ms = NOW,
): Upserted =>
  upsertProfile(
    { ...NO_STATES, profile: before, device },
    { ...NOTHING, ...facts },
    now_ms,
    DEVICES_PARAMETERS,
  )

describe('upsertProfile', () => {
  it('creates a customer by default', () => {
    const { profile, ...rest } = upsert({})
    expect(profile).toMatchObject({ v: 1, profile_type: 'customer', first_seen_at: NOW })
    expect(profile.devices.count).toBe(0)
    expect(rest).toEqual({
      device: undefined,
      ip: undefined,
      is_new: true,
      device_linked: false,
      device_anomaly: null,
      previous_risk_level: undefined,
    })
  })

  it('leaves omitted facts unchanged and updates the last-seen time', () => {
    const facts = { profile_type: 'employee', country_code: 'DE', fingerprint_hash: 'f' } as const
    const first = upsert({ ...facts, latitude: 52.5, longitude: 13.4 }).profile
    const { profile, is_new } = upsert({}, first, undefined, NOW + DAY)
    expect(profile).toEqual({ ...first, last_seen_at: NOW + DAY })
    expect(is_new).toBe(false)
    const changed = upsert({ profile_type: 'customer', country_code: 'FR' }, first).profile
    expect(changed).toMatchObject({ profile_type: 'customer', country_code: 'FR' })
  })

  it('links a named device and counts it once', () => {
    const first = upsert({ fingerprint_hash: 'f' })
    const again = upsert({ fingerprint_hash: 'f' }, first.profile, first.device, NOW + HOUR / 2)
    expect([first.device_linked, again.device_linked]).toEqual([true, true])
    expect(again.profile.devices.count).toBe(1)
    expect(again.device).toBe(first.device)
    expect(upsert({ fingerprint_hash: 'g' }, again.profile).profile.devices.count).toBe(2)
  })

  it('reports rapid changes of the device', () => {
    let profile: ProfileState | undefined
    const anomalies: (string | null)[] = []
    for (const [i, fingerprint_hash] of ['a', 'b', 'c', 'd'].entries()) {
      const result = upsert({ fingerprint_hash }, profile, undefined, NOW + i * HOUR)
      profile = result.profile
      anomalies.push(result.device_anomaly)
    }
    expect(anomalies).toEqual([null, null, 'rapid_device_change', 'rapid_device_change'])
    // A reported anomaly is part of the score that the same response shows.
    const risk = profile && riskOf(profile, NOW + 3 * HOUR)
    expect(risk).toEqual({ risk_score: 56, risk_level: 'high' })
  })

  it('reports a device that several profiles share', () => {
    let device: DeviceState | undefined
    const anomalies: (string | null)[] = []
    for (const profile_id of ['p1', 'p2', 'p3', 'p4', 'p5']) {
      const result = upsert({ profile_id, fingerprint_hash: 'f' }, undefined, device)
      device = result.device
      anomalies.push(result.device_anomaly)
    }
    expect(anomalies).toEqual([null, null, 'shared_device', 'shared_device', 'shared_device'])
  })

  it('reports a device that was used for fraud or failed a check', () => {
    const labels = learnLabel(NEW_DEVICE.labels, 'confirmed_fraud', NOW - 3 * DAY, 1)
    const stolen: DeviceState = { ...NEW_DEVICE, labels }
    expect(upsert({ fingerprint_hash: 'f' }, undefined, stolen).device_anomaly).toBe(
      'flagged_device',
    )
    expect(upsert({ fingerprint_hash: 'f', check_risk: 50 }).device_anomaly).toBe('flagged_device')
    expect(upsert({ fingerprint_hash: 'f', check_risk: 49 }).device_anomaly).toBeNull()
    expect(
      upsert({ fingerprint_hash: 'f', reputation: { device: 60, ip: 0, profile: 0 } })
        .device_anomaly,
    ).toBe('flagged_device')
  })

  it('neither reports shared devices of staff nor counts staff on a device', () => {
    for (const profile_type of PROFILE_TYPES) {
      let device: DeviceState | undefined
      let last: string | null = null
      for (let i = 0; i < 12; i += 1) {
        const facts = { profile_id: `p${i}`, profile_type, fingerprint_hash: 'till' }
        const result = upsert(facts, undefined, device)
        device = result.device
        last = result.device_anomaly
      }
      const isCustomer = profile_type === 'customer'
      expect(last).toBe(isCustomer ? 'shared_device' : null)
      expect(device?.users.profiles).toHaveLength(isCustomer ? 12 : 0)
    }
  })

  it('returns the previous level when a check changes it', () => {
    const first = upsert({}).profile
    const { profile, previous_risk_level } = upsert({ check_risk: 90 }, first)
    expect(previous_risk_level).toBe('low')
    expect(profile.risk.level).toBe('critical')
    expect(upsert({ check_risk: 90 }, profile).previous_risk_level).toBeUndefined()
    expect(upsert({}, profile, undefined, NOW + 60 * DAY).previous_risk_level).toBe('critical')
  })

  it('learns the place of the request', () => {
    const { profile } = upsert({ latitude: 52.52, longitude: 13.405 })
    expect(profile.places.last).toEqual({
      latitude: 52.52,
      longitude: 13.405,
      at: NOW,
      is_remote: false,
    })
  })

  it('keeps its states small after 100,000 calls from everywhere', () => {
    let states = NO_STATES
    let longest = 0
    for (let i = 0; i < 100_000; i += 1) {
      const facts: ProfileFacts = {
        ...NOTHING,
        profile_id: `p${(i * 31) % 5000}`,
        fingerprint_hash: `f${(i * 7919) % 3000}`,
        ip_hash: 'ip',
        latitude: ((i * 7919) % 17_000) / 100 - 85,
        longitude: ((i * 104_729) % 36_000) / 100 - 180,
        check_risk: i % 101,
      }
      const now_ms = NOW + i * 400_000
      const { profile, device, ip } = upsertProfile(states, facts, now_ms, DEVICES_PARAMETERS)
      states = { profile, device, ip }
      if (i % 100 === 0)
        longest = Math.max(
          longest,
          JSON.stringify([states.profile, states.device, states.ip]).length,
        )
    }
    expect(longest).toBeLessThan(3800)
    expect(JSON.stringify(states.profile).length).toBeLessThan(1200)
    expect(JSON.parse(JSON.stringify(states))).toStrictEqual(states)
  }, 60_000)

  it('is deterministic, with states that survive JSON', () => {
    const text = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', undefined)
    const facts: fc.Arbitrary<ProfileFacts> = fc.record({
      profile_id: fc.constantFrom('p1', 'p2', 'p3'),
      profile_type: fc.constantFrom(...PROFILE_TYPES, undefined),
      fingerprint_hash: text,
      ip_hash: text,
      country_code: fc.constantFrom('DE', 'FR', undefined),
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      check_risk: fc.nat(100),
      reputation: fc.record({ device: fc.nat(100), ip: fc.nat(100), profile: fc.nat(100) }),
    })
    const event = fc.tuple(facts, fc.nat(10 * DAY))
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        let states = NO_STATES
        let now_ms = NOW
        for (const [fact, elapsed] of events) {
          now_ms += elapsed
          const given = structuredClone(states)
          const result = upsertProfile(states, freeze(fact), now_ms, DEVICES_PARAMETERS)
          const again = upsertProfile(given, fact, now_ms, DEVICES_PARAMETERS)
          expect(again).toStrictEqual(result)
          expect(states).toStrictEqual(given)
          const { profile, device, ip } = result
          for (const state of [profile, device, ip]) {
            if (state) expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
          }
          states = { profile, device, ip }
        }
      }),
      { numRuns: 50 },
    )
  })
})

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
