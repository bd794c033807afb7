import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../platform/time-units.ts'
import {
  EMPTY_AMOUNTS,
  EMPTY_HOURS,
  EMPTY_PLACES,
  EMPTY_VELOCITY,
  learnAmount,
  learnHour,
  learnPlace,
  learnVelocity,
  linkDevice,
} from '../../behavior/index.ts'
import { newProfile, type ProfileState } from '../../profiles/index.ts'
import { behaviorOf } from './behavior.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

const profileWith = (given: Partial<ProfileState>): ProfileState => ({
  ...newProfile('customer', NOW.getTime()),
  ...given,
})

describe('the behavior of a profile', () => {
  it('is empty when nothing is known', () => {
    expect(behaviorOf(profileWith({}), [], NOW)).toEqual({
      amounts: [],
      hours: [],
      devices: { count: 0, known: [] },
      payments: { methods: [], run: 0 },
      places: { last: null, center: null, areas: [], countries: [] },
      velocity: { minutes: 0, hour: 0, day: 0, week: 0 },
    })
  })

  it('has a band around the usual amount that never goes below zero', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(amounts, (paid) => {
        let state = EMPTY_AMOUNTS
        for (const amount_cents of paid) {
          state = learnAmount(state, { currency: 'EUR', amount_cents }, undefined, { weight: 1 })
        }
        const [band] = behaviorOf(profileWith({ amounts: state }), [], NOW).amounts
        expect(band?.from_cents).toBeGreaterThanOrEqual(0)
        expect(band?.from_cents).toBeLessThanOrEqual(band?.usual_cents ?? 0)
        expect(band?.to_cents).toBeGreaterThan(band?.usual_cents ?? 0)
      }),
    )
  })

  it('has shares of hours and areas that add up to 1', () => {
    let hours = EMPTY_HOURS
    let places = EMPTY_PLACES
    for (let day = 0; day < 20; day += 1) {
      const at = NOW.getTime() - day * DAY_MS
      hours = learnHour(hours, day % 3, at)
      const where = {
        latitude: 50 + (day % 2),
        longitude: 10,
        country: 'DE',
        order_type: undefined,
      }
      places = learnPlace(places, where, at)
    }
    const behavior = behaviorOf(profileWith({ hours, places }), [], NOW)
    expect(behavior.hours.length).toBe(24)
    expect(behavior.hours.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
    const { areas, countries } = behavior.places
    expect(areas.length).toBe(2)
    expect(areas.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
    expect(countries).toEqual([{ country: 'DE', share: 1 }])
  })

  it('names the devices of the orders shown and decays the counts', () => {
    const at = NOW.getTime() - DAY_MS
    let devices = newProfile('customer', at).devices
    for (const hash of [1, 2]) devices = linkDevice(devices, hash, at)
    const fact = { at_ms: at, spent: 1, is_tiny: false, unusual: 0 }
    const velocity = learnVelocity(EMPTY_VELOCITY, fact)
    const behavior = behaviorOf(profileWith({ devices, velocity }), [null, 'phone'], NOW)
    expect(behavior.devices.count).toBe(2)
    expect(behavior.devices.known.map((one) => one.fingerprint_hash)).toEqual([null, null])
    expect(behavior.velocity).toMatchObject({ minutes: 0, hour: 0, day: 0.5 })
  })
})
