import { describe, expect, it } from 'vitest'
import { createRandom } from '../src/platform/random.ts'
import { distanceKm, HOME_CITIES } from './places.ts'
import { DAY_MS, HOUR_MS } from './time.ts'
import { planTrips, tripAt } from './trips.ts'

describe('travel', () => {
  it('moves people no faster than they can travel', () => {
    const [berlin] = HOME_CITIES
    if (!berlin) throw new Error('no city')
    const home = { city: berlin, position: berlin }
    const random = createRandom(1)
    const trips = Array.from({ length: 50 }, () =>
      planTrips(random, home, { start: 0, end: 365 * DAY_MS }),
    ).flat()
    const speeds = trips.map(
      ({ position: away, leaves, arrives }) =>
        distanceKm(berlin, away) / ((arrives - leaves) / HOUR_MS),
    )
    expect(trips.length).toBeGreaterThan(50)
    expect(Math.max(...speeds)).toBeLessThan(750)
    const [trip] = trips
    expect(trip && tripAt([trip], trip.leaves)).toBeUndefined()
    expect(trip && tripAt([trip], trip.arrives)).toBe(trip)
    expect(trip && tripAt([trip], trip.ends)).toBe('home')
  })

  it('measures distances on the globe', () => {
    const [berlin, sydney] = [
      { latitude: 52.52, longitude: 13.405 },
      { latitude: -33.869, longitude: 151.209 },
    ]
    expect(Math.round(distanceKm(berlin, sydney) / 100)).toBe(161)
    expect(distanceKm(berlin, berlin)).toBe(0)
  })
})
