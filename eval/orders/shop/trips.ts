/** Holidays and business trips: where a customer is at a time, and when on the way and not shopping. */
import type { Random } from '../../../src/platform/random.ts'
import { DAY_MS, FIRST_DAY_MS, HOUR_MS } from './order.ts'
import { type City, FAR_CITIES, HOME_CITIES, near, type Position, travelHours } from './places.ts'

export type Whereabouts = { city: City; position: Position }

export type Trip = Whereabouts & {
  leaves_ms: number
  arrives_ms: number
  returns_ms: number
  home_ms: number
}

const FREQUENT_TRAVELLERS = 0.12

export function planTrips(random: Random, home: Whereabouts, days: number): Trip[] {
  const isFrequent = random.chance(FREQUENT_TRAVELLERS)
  const trips: Trip[] = []
  let free_day = 0
  for (;;) {
    const day = free_day + random.exponential(isFrequent ? 14 : 75)
    if (day >= days) return trips
    const trip = planTrip(random, home, { day, nights: nightsAway(random, isFrequent) })
    trips.push(trip)
    free_day = (trip.home_ms - FIRST_DAY_MS) / DAY_MS + 1
  }
}

const nightsAway = (random: Random, isFrequent: boolean): number =>
  isFrequent ? random.between(0.6, 3) : random.between(2, 14)

function planTrip(
  random: Random,
  home: Whereabouts,
  { day, nights }: { day: number; nights: number },
): Trip {
  const elsewhere = [...HOME_CITIES, ...FAR_CITIES].filter(({ name }) => name !== home.city.name)
  // People go near more often than far.
  const city = random.weighted(elsewhere, (each) => 1 / (3 + travelHours(home.position, each)) ** 2)
  const position = near(random, city, 4)
  const hours = travelHours(home.position, position)
  const leaves_ms = Math.floor(FIRST_DAY_MS + day * DAY_MS)
  const arrives_ms = leaves_ms + Math.ceil(hours * HOUR_MS)
  const returns_ms = arrives_ms + Math.floor(nights * DAY_MS)
  return {
    city,
    position,
    leaves_ms,
    arrives_ms,
    returns_ms,
    home_ms: returns_ms + Math.ceil(hours * HOUR_MS),
  }
}

/** Undefined while on the way. */
export function tripAt(trips: readonly Trip[], at_ms: number): Trip | 'home' | undefined {
  const trip = trips.find(({ leaves_ms, home_ms }) => at_ms >= leaves_ms && at_ms < home_ms)
  if (trip === undefined) return 'home'
  return at_ms >= trip.arrives_ms && at_ms < trip.returns_ms ? trip : undefined
}
