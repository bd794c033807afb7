/** Holidays and business trips: the position of a customer at a time, and the times of travel. */
import type { Random } from '../src/platform/random.ts'
import { ALL_CITIES, type City, near, type Position, travelHours } from './places.ts'
import { DAY_MS, HOUR_MS, type Span } from './time.ts'

export type Whereabouts = { city: City; position: Position }

/** Four instants: departure, arrival, start of the return, and arrival at home. */
export type Trip = Whereabouts & {
  leaves: number
  arrives: number
  returns: number
  ends: number
}

const FREQUENT_TRAVELERS = 0.12

/** All trips that start between two instants, in order. */
export function planTrips(random: Random, whereabouts: Whereabouts, { start, end }: Span): Trip[] {
  const isFrequent = random.chance(FREQUENT_TRAVELERS)
  const trips: Trip[] = []
  let free = start
  for (;;) {
    const leaves = Math.floor(free + random.exponential(isFrequent ? 14 : 75) * DAY_MS)
    if (leaves >= end) return trips
    const nights = isFrequent ? random.between(0.6, 3) : random.between(2, 14)
    const trip = planTrip(random, whereabouts, { leaves, nights })
    trips.push(trip)
    free = trip.ends + DAY_MS
  }
}

function planTrip(
  random: Random,
  from: Whereabouts,
  { leaves, nights }: { leaves: number; nights: number },
): Trip {
  const elsewhere = ALL_CITIES.filter(({ name }) => name !== from.city.name)
  // People travel to near places more often than to far ones.
  const city = random.weighted(elsewhere, (each) => 1 / (3 + travelHours(from.position, each)) ** 2)
  const position = near(random, city, 4)
  const way = Math.ceil(travelHours(from.position, position) * HOUR_MS)
  const arrives = leaves + way
  const returns = arrives + Math.floor(nights * DAY_MS)
  return { city, position, leaves, arrives, returns, ends: returns + way }
}

/** Undefined while on the way. */
export function tripAt(trips: readonly Trip[], at: number): Trip | 'home' | undefined {
  const trip = trips.find(({ leaves, ends }) => at >= leaves && at < ends)
  if (trip === undefined) return 'home'
  return at >= trip.arrives && at < trip.returns ? trip : undefined
}
