/**
 * A place whose order was held back only because the place was new. It is believed when the profile
 * returns on another day; otherwise a customer whose first orders came from abroad would stay
 * suspicious at home. An account thief needs a second day. Times are in ms since 1970.
 */
import { DAY_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { cellOf } from './geometry.ts'
import { EMPTY_PLACES, type PlaceFact, type PlacesState } from './places.ts'

/** Age range of the first visit in which a second one is believed. */
const BELIEVED_MIN_MS = DAY_MS
const BELIEVED_MAX_MS = 90 * DAY_MS

/** Whether an order comes from the doubtful place on another day. */
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

/** Stores a doubtful place and replaces the previous one. */
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
  // Rounded up so that a visit is never believed before a full day is over.
  return { ...places, doubtful: [name, Math.ceil(at_ms / MINUTE_MS)] }
}

/** Forgets the doubtful place after a confirmed fraud. */
export function forgetDoubtfulPlace(places: PlacesState): PlacesState {
  if (places.doubtful === undefined) return places
  const { last, centre, cells, countries, origin } = places
  return { last, centre, cells, countries, origin }
}

/** Returns the country if known, because people rarely stay in one cell of a country. */
function nameOf({ country, latitude, longitude }: PlaceFact): string | number | undefined {
  if (country !== undefined) return country
  return latitude === undefined || longitude === undefined ? undefined : cellOf(latitude, longitude)
}
