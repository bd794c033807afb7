import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubtPlace, forgetDoubtfulPlace, isBackAgain } from './doubtful-place.ts'
import { EMPTY_PLACES, learnPlace, type PlaceFact, type PlacesState } from './places.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1)
const nowhere: PlaceFact = {
  latitude: undefined,
  longitude: undefined,
  country: undefined,
  order_type: 'online',
}
const BERLIN: PlaceFact = { ...nowhere, latitude: 52.52, longitude: 13.405 }
const MUNICH: PlaceFact = { ...nowhere, latitude: 48.14, longitude: 11.58 }
const inCountry = (fact: PlaceFact, country: string): PlaceFact => ({ ...fact, country })

const berlin = doubtPlace(EMPTY_PLACES, BERLIN, NOW)

describe('a doubtful place', () => {
  it('is believed from the second day for three months', () => {
    const times = [0, HOUR, DAY - 1000, DAY + 60_000, 90 * DAY, 91 * DAY]
    const believed = times.map((later) => isBackAgain(berlin, BERLIN, NOW + later))
    expect(believed).toEqual([false, false, false, true, true, false])
    expect(isBackAgain(undefined, BERLIN, NOW)).toBe(false)
  })

  it('is not believed for an earlier order', () => {
    expect(isBackAgain(berlin, BERLIN, NOW - 5 * DAY)).toBe(false)
  })

  it('is the country if known, or else the area', () => {
    const germany = doubtPlace(EMPTY_PLACES, inCountry(BERLIN, 'DE'), NOW)
    expect(isBackAgain(germany, inCountry(MUNICH, 'DE'), NOW + 2 * DAY)).toBe(true)
    expect(isBackAgain(germany, inCountry(BERLIN, 'FR'), NOW + 2 * DAY)).toBe(false)
    expect(isBackAgain(berlin, MUNICH, NOW + 2 * DAY)).toBe(false)
  })

  it('stays the first one until an order comes from elsewhere or it expires', () => {
    expect(doubtPlace(berlin, BERLIN, NOW + 2 * DAY)).toBe(berlin)
    expect(doubtPlace(berlin, BERLIN, NOW - 2 * DAY)).toBe(berlin)
    expect(doubtPlace(berlin, nowhere, NOW)).toBe(berlin)
    const munich = doubtPlace(berlin, MUNICH, NOW + 2 * DAY)
    expect(isBackAgain(munich, BERLIN, NOW + 4 * DAY)).toBe(false)
    const replaced = doubtPlace(berlin, BERLIN, NOW + 91 * DAY)
    expect(isBackAgain(replaced, BERLIN, NOW + 91 * DAY + HOUR)).toBe(false)
    expect(isBackAgain(replaced, BERLIN, NOW + 93 * DAY)).toBe(true)
  })

  it('is forgotten when a place is learned or a fraud is confirmed', () => {
    expect(learnPlace(berlin, MUNICH, NOW + HOUR).doubtful).toBeUndefined()
    expect(learnPlace(berlin, inCountry(nowhere, 'DE'), NOW + HOUR).doubtful).toBeUndefined()
    expect(learnPlace(berlin, nowhere, NOW + HOUR)).toBe(berlin)
    expect(forgetDoubtfulPlace(berlin)).toStrictEqual(EMPTY_PLACES)
    expect(forgetDoubtfulPlace(EMPTY_PLACES)).toBe(EMPTY_PLACES)
  })

  it('leaves a state that survives JSON for random orders', () => {
    const event = fc.record({
      latitude: fc.option(fc.double({ min: -90, max: 90, noNaN: true }), { nil: undefined }),
      country: fc.constantFrom('DE', 'atlantis', undefined),
      at_ms: fc.integer({ min: NOW - 4000 * DAY, max: NOW }),
      isLearnt: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state: PlacesState = EMPTY_PLACES
        for (const { latitude, country, at_ms, isLearnt } of events) {
          const fact = { ...nowhere, latitude, longitude: latitude, country }
          state = (isLearnt ? learnPlace : doubtPlace)(Object.freeze(state), fact, at_ms)
          expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
        }
      }),
    )
  })
})
