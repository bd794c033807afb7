/**
 * A place from which an order came that was held back for nothing but being new. Who is back there on
 * another day is believed: else somebody whose first orders came from abroad would be a stranger at home
 * for ever. Who took an account over needs a second day for it. Times are ms since 1970.
 */
import { cellOf } from './geometry.ts'
import { DAY_MS, MINUTE_MS } from './numbers.ts'
import { EMPTY_PLACES, type PlaceFact, type PlacesState } from './places.ts'

/** So long after the first visit, and no longer, a second one is believed. */
const BELIEVED_MIN_MS = DAY_MS
const BELIEVED_MAX_MS = 90 * DAY_MS

/** Whether an order comes from the doubtful place again, on another day. */
export function isBackAgain(
  state: PlacesState | undefined,
  fact: PlaceFact,
  at_ms: number,
): boolean {
  const first = state?.doubtful
  if (first === undefined || first[0] !== nameOf(fact)) return false
  const age_ms = at_ms - first[1] * MINUTE_MS
  return age_ms >= BELIEVED_MIN_MS && age_ms <= BELIEVED_MAX_MS
}

/** Remembers a doubtful place in the stead of another one. */
export function doubtPlace(
  state: PlacesState | undefined,
  fact: PlaceFact,
  at_ms: number,
): PlacesState {
  const places = state ?? EMPTY_PLACES
  const name = nameOf(fact)
  if (name === undefined) return places
  const first = places.doubtful
  if (first?.[0] === name && at_ms - first[1] * MINUTE_MS <= BELIEVED_MAX_MS) return places
  // Rounded up: never believed before a whole day is over.
  return { ...places, doubtful: [name, Math.ceil(at_ms / MINUTE_MS)] }
}

/** What a confirmed fraud leaves of it. */
export function forgetDoubtfulPlace(places: PlacesState): PlacesState {
  if (places.doubtful === undefined) return places
  const { last, centre, cells, countries, origin } = places
  return { last, centre, cells, countries, origin }
}

/** The country where it is known: within it, nobody is always in the same cell. */
function nameOf({ country, latitude, longitude }: PlaceFact): string | number | undefined {
  if (country !== undefined) return country
  return latitude === undefined || longitude === undefined ? undefined : cellOf(latitude, longitude)
}
