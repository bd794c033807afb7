import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assessment } from './measurement.ts'
import {
  assessPlace,
  EMPTY_PLACES,
  learnPlace,
  PLACES_PARAMETERS,
  type PlaceFact,
  type PlacesState,
} from './places.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1)
const nowhere: PlaceFact = {
  latitude: undefined,
  longitude: undefined,
  country: undefined,
  order_type: 'in_store',
}
const at = (latitude: number, longitude: number, more: Partial<PlaceFact> = {}): PlaceFact => ({
  ...nowhere,
  latitude,
  longitude,
  ...more,
})
const BERLIN = at(52.52, 13.405)
const POTSDAM = at(52.39, 13.065)
const LONDON = at(51.507, -0.128)
const TOKYO = at(35.676, 139.65)
const inCountry = (country: string): PlaceFact => ({ ...nowhere, country })
const online = (fact: PlaceFact): PlaceFact => ({ ...fact, order_type: 'online' })
const phone = (fact: PlaceFact): PlaceFact => ({ ...fact, order_type: 'phone' })

/** Learns one visit a day, the last one a day before `NOW`. */
function known(...facts: readonly PlaceFact[]): PlacesState {
  return facts.reduce<PlacesState>(
    (state, fact, i) => learnPlace(state, fact, NOW - (facts.length - i) * DAY),
    EMPTY_PLACES,
  )
}
const assess = (
  state: PlacesState | undefined,
  fact: PlaceFact,
  at_ms = NOW,
  home: string | null = null,
): Assessment => assessPlace(state, fact, { at_ms, home_country: home }, PLACES_PARAMETERS)

describe('travel', () => {
  const justNow = learnPlace(EMPTY_PLACES, LONDON, NOW - HOUR)

  it('faster than an airliner is impossible from the second order', () => {
    const found = assess(justNow, TOKYO)
    expect(found).toMatchObject({ score: 90, finding: 'impossible_travel' })
    expect(found.numbers).toEqual({
      distance_km: 9559,
      hours: 1,
      speed_kmh: 9484,
      cells_known: 1,
    })
  })

  it('at the speed of an airliner is usual, and graded only near its limit', () => {
    expect(assess(justNow, TOKYO, NOW + 23 * HOUR).score).toBe(0)
    const graded = [12, 13, 15, 18].map((hours) => assess(justNow, TOKYO, NOW + (hours - 1) * HOUR))
    expect(graded.map(({ finding }) => finding)).toEqual(graded.map(() => 'fast_travel'))
    const scores = graded.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThan(75)
    expect(Math.min(...scores)).toBeGreaterThan(15)
  })

  it('of less than 200 km is never impossible, not even within a second', () => {
    expect(assess(learnPlace(EMPTY_PLACES, BERLIN, NOW), at(53.8, 14.5)).score).toBe(0)
    expect(assess(learnPlace(EMPTY_PLACES, BERLIN, NOW), LONDON).score).toBe(90)
  })

  it('of a late order is assessed by the time between the two', () => {
    const later = learnPlace(EMPTY_PLACES, LONDON, NOW)
    expect(assess(later, TOKYO, NOW - HOUR).finding).toBe('impossible_travel')
    expect(assess(later, TOKYO, NOW - 2 * DAY).score).toBe(0)
  })

  it('counts less when a point can be a delivery address but still reaches review', () => {
    expect(assess(justNow, online(TOKYO))).toMatchObject({
      score: 80,
      finding: 'impossible_travel',
    })
    expect(assess(learnPlace(EMPTY_PLACES, online(LONDON), NOW - HOUR), TOKYO).score).toBe(80)
  })

  it('to a usual place counts little for an online order', () => {
    const commuter = learnPlace(known(TOKYO, TOKYO, TOKYO, LONDON), LONDON, NOW - HOUR)
    expect(assess(commuter, online(TOKYO)).score).toBe(30)
    expect(assess(commuter, TOKYO).score).toBe(90)
  })

  it('is neither assessed nor learned for phone orders', () => {
    expect(assess(justNow, phone(TOKYO)).score).toBe(0)
    const called = learnPlace(justNow, phone(TOKYO), NOW - 60_000)
    expect(called.last).toEqual(justNow.last)
    expect(assess(called, LONDON).score).toBe(0)
  })
})

describe('an unusual place', () => {
  const resident = known(BERLIN, BERLIN, POTSDAM, BERLIN, BERLIN, BERLIN, POTSDAM, BERLIN, BERLIN)

  it('is far from all others and counts more with the distance', () => {
    expect(assess(resident, BERLIN).score).toBe(0)
    expect(assess(resident, at(52.3, 12.4)).score).toBe(0)
    const near = assess(resident, at(51.34, 12.37), NOW + DAY)
    const far = assess(resident, LONDON, NOW + DAY)
    expect(near.finding).toBe('unusual_place')
    expect(far.score).toBeGreaterThan(near.score)
    expect(far.score).toBeLessThanOrEqual(45)
    expect(far.numbers['cells_known']).toBe(2)
  })

  it('does not exist before three places are known', () => {
    expect(assess(known(BERLIN, BERLIN), TOKYO, NOW + 2 * DAY).score).toBe(0)
    expect(assess(known(BERLIN, BERLIN, BERLIN), TOKYO, NOW + 2 * DAY).score).toBeGreaterThan(20)
  })

  it('becomes usual by being visited', () => {
    const moved = learnPlace(resident, LONDON, NOW + DAY)
    expect(assess(moved, LONDON, NOW + 2 * DAY).score).toBe(0)
  })
})

describe('a country', () => {
  it('other than that of the profile counts from the first order', () => {
    const found = assess(undefined, inCountry('NG'), NOW, 'DE')
    expect(found).toMatchObject({ score: 45, finding: 'new_country', numbers: { country: 'NG' } })
    expect(assess(undefined, inCountry('DE'), NOW, 'DE').score).toBe(0)
    expect(assess(undefined, inCountry('NG'), NOW, null).score).toBe(0)
  })

  it('is compared with earlier countries and becomes usual by visits', () => {
    const german = known(inCountry('DE'), inCountry('DE'), inCountry('DE'))
    expect(assess(known(inCountry('DE')), inCountry('PL')).score).toBe(0)
    expect(assess(german, inCountry('PL')).score).toBe(45)
    const traveling = known(...['DE', 'DE', 'DE', 'PL', 'PL'].map(inCountry))
    expect(assess(traveling, inCountry('PL')).score).toBeLessThan(20)
    expect(assess(german, inCountry('DE')).score).toBe(0)
  })

  it('is no surprise for a frequent traveler', () => {
    const home = known(...['DE', 'DE', 'DE', 'DE', 'DE', 'DE'].map(inCountry))
    const everywhere = known(...['DE', 'FR', 'IT', 'DE', 'AT', 'DE'].map(inCountry))
    expect(assess(home, inCountry('NL')).score).toBe(45)
    expect(assess(everywhere, inCountry('NL')).score).toBeLessThan(25)
  })

  it('is compared with codes as a code and with names as a name', () => {
    const named = known(...['atlantis', 'atlantis', 'atlantis'].map(inCountry))
    expect(assess(named, inCountry('DE')).score).toBe(0)
    expect(assess(undefined, inCountry('atlantis'), NOW, 'DE').score).toBe(0)
    expect(assess(named, inCountry('lemuria')).score).toBe(45)
  })

  it('and an unusual place together stay below impossible travel', () => {
    const home = known(...Array.from({ length: 12 }, () => ({ ...BERLIN, country: 'DE' })))
    const holiday = assess(home, { ...TOKYO, country: 'JP' }, NOW + 7 * DAY, 'DE')
    expect(holiday).toMatchObject({ score: 55, finding: 'new_country' })
  })
})

describe('learnPlace', () => {
  const fact: fc.Arbitrary<PlaceFact> = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    country: fc.constantFrom('DE', 'US', 'FR', 'JP', 'BR', 'atlantis', undefined),
    order_type: fc.constantFrom('online', 'in_store', 'phone', 'other', undefined),
  })
  const event = fc.tuple(fact, fc.integer({ min: NOW - 4000 * DAY, max: NOW }))

  it('never moves the last point for an older event', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state = EMPTY_PLACES
        for (const [visited, at_ms] of events) {
          const before = state.last
          state = learnPlace(state, visited, at_ms)
          if (before !== null && at_ms < before.at) expect(state.last).toBe(before)
          expect(state.last?.at ?? 0).toBeGreaterThanOrEqual(before?.at ?? 0)
        }
      }),
    )
  })

  it('keeps the state finite, small and unchanged by JSON', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = EMPTY_PLACES
        for (const [visited, at_ms] of events) {
          state = learnPlace(freeze(state), visited, at_ms)
          const found = assess(state, visited, at_ms, 'DE')
          expect(Number.isInteger(found.score)).toBe(true)
          expect(found.score >= 0 && found.score <= 100).toBe(true)
        }
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
        expect(JSON.stringify(state).length).toBeLessThan(460)
        expect(state.cells.length).toBeLessThanOrEqual(8)
        expect(state.countries.length).toBeLessThanOrEqual(4)
      }),
    )
  })

  it('returns the same state for an order without a place or a very old one', () => {
    const state = known(BERLIN)
    expect(learnPlace(state, nowhere, NOW)).toBe(state)
    expect(learnPlace(state, LONDON, NOW - 3000 * DAY)).toBe(state)
  })

  it('forgets a place after years', () => {
    const returned = learnPlace(known(BERLIN, BERLIN, BERLIN), LONDON, NOW + 1000 * DAY)
    expect(returned.cells).toHaveLength(1)
    expect(returned.origin).toBe(NOW + 1000 * DAY)
  })

  it('stays small after 100,000 events in 30 years', () => {
    let state = EMPTY_PLACES
    for (let i = 0; i < 100_000; i += 1) {
      const latitude = ((i * 7919) % 17_000) / 100 - 85
      const longitude = ((i * 104_729) % 36_000) / 100 - 180
      state = learnPlace(
        state,
        at(latitude, longitude, { country: `c${i % 300}` }),
        NOW + i * 9.5e6,
      )
    }
    expect(JSON.stringify(state).length).toBeLessThan(460)
    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
  }, 60_000)
})

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
