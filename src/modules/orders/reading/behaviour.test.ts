import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
} from '../../behaviour/index.ts'
import { newProfile, type ProfileState } from '../../profiles/index.ts'
import { behaviourOf } from './behaviour.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000

const profileWith = (given: Partial<ProfileState>): ProfileState => ({
  ...newProfile('customer', NOW.getTime()),
  ...given,
})

describe('the behaviour of a profile', () => {
  it('is empty where nothing is known', () => {
    expect(behaviourOf(profileWith({}), [], NOW)).toEqual({
      amounts: [],
      hours: [],
      devices: { count: 0, known: [] },
      payments: { methods: [], run: 0 },
      places: { last: null, centre: null, areas: [], countries: [] },
      velocity: { minutes: 0, hour: 0, day: 0, week: 0 },
    })
  })

  it('has a band around what is usually paid, never below nothing', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(amounts, (paid) => {
        let state = EMPTY_AMOUNTS
        for (const amount_cents of paid) {
          state = learnAmount(state, { currency: 'EUR', amount_cents }, undefined, 1)
        }
        const [band] = behaviourOf(profileWith({ amounts: state }), [], NOW).amounts
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
    const behaviour = behaviourOf(profileWith({ hours, places }), [], NOW)
    expect(behaviour.hours.length).toBe(24)
    expect(behaviour.hours.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
    const { areas, countries } = behaviour.places
    expect(areas.length).toBe(2)
    expect(areas.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
    expect(countries).toEqual([{ country: 'DE', share: 1 }])
  })

  it('names the devices that the shown orders came from, and counts fade', () => {
    const at = NOW.getTime() - DAY_MS
    let devices = newProfile('customer', at).devices
    for (const hash of [1, 2]) devices = linkDevice(devices, hash, at)
    const fact = { at_ms: at, spent: 1, is_tiny: false, unusual: 0 }
    const velocity = learnVelocity(EMPTY_VELOCITY, fact)
    const behaviour = behaviourOf(profileWith({ devices, velocity }), [null, 'phone'], NOW)
    expect(behaviour.devices.count).toBe(2)
    expect(behaviour.devices.known.map((one) => one.fingerprint_hash)).toEqual([null, null])
    expect(behaviour.velocity).toMatchObject({ minutes: 0, hour: 0, day: 0.5 })
  })
})
