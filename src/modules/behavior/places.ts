/**
 * Places: assesses whether an order is far from where its profile usually orders, and whether the
 * journey from the last place is possible (fraud research 3.4). Times are in ms since 1970,
 * coordinates in degrees (WGS 84).
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { type Center, moveCenter, reachesFrom } from './center.ts'
import { cellOf, distanceKm } from './geometry.ts'
import type { Assessment, Measurement } from './measurement.ts'
import { decay, readable, round } from './numbers.ts'
import { faded, type Visits, visit, visitWeight, weightOf } from './visits.ts'

export type PlacesState = {
  /** Newest point by event time. */
  readonly last: LastPoint | null
  /** Center of all points, with outliers clipped. Stored under the British spelling. */
  readonly centre: Center | null
  /** Visits to at most eight cells of about 28 km. */
  readonly cells: Visits<number>
  /** Visits to at most four countries (codes or lowercased names). */
  readonly countries: Visits<string>
  /**
   * Time in ms at which a visit weighs 1; later ones weigh more, so that weights need not decay.
   */
  readonly origin: number
  /**
   * Country or cell that is not believed yet, with the minute of the first order from there.
   * Cleared when any place is learned.
   */
  readonly doubtful?: readonly [place: string | number, first_minute: number]
}

export type LastPoint = {
  readonly latitude: number
  readonly longitude: number
  readonly at: number
  /** Set for online orders, whose coordinates can be the delivery address. */
  readonly is_remote: boolean
}

export type PlaceFact = {
  /** Both or neither */
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  /** ISO 3166 alpha-2, or the lowercased name of an unknown country. */
  readonly country: string | undefined
  readonly order_type: 'online' | 'in_store' | 'phone' | 'other' | undefined
}

/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const PLACES_PARAMETERS = {
  slack_km: 75,
  far_km: 200,
  impossible_kmh: 1000,
  fast_kmh: 500,
  impossible_score: 90,
  remote_score: 80,
  remote_usual_score: 30,
  unusual_place_score: 45,
  new_country_score: 45,
  away_score: 55,
  country_mismatch_score: 60,
}
export type PlacesParameters = Readonly<typeof PLACES_PARAMETERS>

export const EMPTY_PLACES: PlacesState = {
  last: null,
  centre: null,
  cells: [],
  countries: [],
  origin: 0,
}

const CELLS_MAX = 8
const COUNTRIES_MAX = 4
const HALF_LIFE_MS = 90 * DAY_MS
/** Weights are rescaled before they outgrow their precision. */
const ORIGIN_AGE_MAX_MS = 4 * HALF_LIFE_MS
/** Older visits are ignored. */
const WEIGHT_MIN = 0.01
/** With fewer points only impossible travel and the profile's own country count. */
const HABIT_POINTS = 3
/** Three visits to other countries, slightly faded. */
const HABIT_VISITS = 2.5
/** Strength of the slowest fast journey relative to an impossible one, and the range above it. */
const FAST_SHARE_MIN = 0.2
const FAST_SHARE = 0.6
/** Visits after which a cell is a usual place. */
const USUAL_VISITS = 1.5

/**
 * Assesses the place of an order at an event time. `home_country` is the profile's own country
 * code.
 *
 * @returns findings `impossible_travel`, `fast_travel`, `unusual_place`, `new_country`
 */
export function assessPlace(
  state: PlacesState | undefined,
  fact: PlaceFact,
  { at_ms, home_country }: { at_ms: number; home_country: string | null },
  parameters: PlacesParameters,
): Assessment {
  const places = state ?? EMPTY_PLACES
  const { latitude, longitude } = fact
  const numbers: Measurement['numbers'] = {}
  let travel = 0
  let place = 0
  if (latitude !== undefined && longitude !== undefined) {
    const weight = weightOf(places.cells, cellOf(latitude, longitude))
    const visits = weight * decay(at_ms - places.origin, HALF_LIFE_MS)
    const journey = assessTravel(places.last, fact, { at_ms, visits }, parameters)
    travel = journey.strength
    Object.assign(numbers, journey.numbers)
    if (weight === 0) place = assessDistance(places.centre, latitude, longitude, parameters)
    numbers['cells_known'] = places.cells.length
  }
  const country = assessCountry(places, fact.country, { at_ms, home_country }, parameters)
  if (fact.country !== undefined) numbers['country'] = fact.country
  const unusual = Math.min(parameters.away_score, place + country - (place * country) / 100)
  const strength = Math.max(travel, unusual)
  let finding: string | null = null
  if (travel > 0 && travel >= unusual) {
    const isImpossible = Number(numbers['speed_kmh']) > parameters.impossible_kmh
    finding = isImpossible ? 'impossible_travel' : 'fast_travel'
  } else if (unusual > 0) finding = country >= place ? 'new_country' : 'unusual_place'
  return { score: Math.round(strength), strength, finding, numbers }
}

type Journey = { strength: number; numbers: Measurement['numbers'] }
const NO_JOURNEY: Journey = { strength: 0, numbers: {} }

/**
 * Returns the strength of the journey from the last point, 0-100. Late events are compared by the
 * absolute time between the two. The address of a phone order says nothing about the position of
 * the caller.
 */
function assessTravel(
  last: LastPoint | null,
  { latitude, longitude, order_type }: PlaceFact,
  { at_ms, visits }: { at_ms: number; visits: number },
  parameters: PlacesParameters,
): Journey {
  if (last === null || latitude === undefined || longitude === undefined) return NO_JOURNEY
  if (order_type === 'phone') return NO_JOURNEY
  const distance_km = distanceKm(last.latitude, last.longitude, latitude, longitude)
  const elapsed_ms = Math.abs(at_ms - last.at)
  const hours = Math.max(elapsed_ms, MINUTE_MS) / HOUR_MS
  const speed_kmh = Math.round(Math.max(0, distance_km - parameters.slack_km) / hours)
  const numbers = {
    distance_km: Math.round(distance_km),
    hours: readable(elapsed_ms / HOUR_MS),
    speed_kmh,
  }
  const { fast_kmh, impossible_kmh, impossible_score } = parameters
  if (speed_kmh < fast_kmh || distance_km <= parameters.far_km) return { strength: 0, numbers }
  const share = (speed_kmh - fast_kmh) / (impossible_kmh - fast_kmh)
  const graded = impossible_score * (FAST_SHARE_MIN + FAST_SHARE * share)
  const score = speed_kmh > impossible_kmh ? impossible_score : graded
  if (order_type !== 'online' && !last.is_remote) return { strength: score, numbers }
  const isUsual = visits >= USUAL_VISITS
  const most = isUsual ? parameters.remote_usual_score : parameters.remote_score
  return { strength: (score * most) / impossible_score, numbers }
}

/**
 * Returns the strength of the distance from the center, 0-100, for points outside of the known
 * cells.
 */
function assessDistance(
  center: Center | null,
  latitude: number,
  longitude: number,
  { unusual_place_score }: PlacesParameters,
): number {
  if (center === null || center.points < HABIT_POINTS) return 0
  const reaches = reachesFrom(center, latitude, longitude)
  if (reaches <= 1) return 0
  const confidence = Math.min(1, 0.4 + 0.06 * center.points)
  return unusual_place_score * confidence * Math.min(1, 0.25 + reaches / 4)
}

/**
 * Returns the strength of an unknown country, 0-100. Codes are compared with codes and names with
 * names.
 */
function assessCountry(
  { countries, origin }: PlacesState,
  country: string | undefined,
  { at_ms, home_country }: { at_ms: number; home_country: string | null },
  { new_country_score }: PlacesParameters,
): number {
  if (country === undefined || country === home_country) return 0
  const remaining = decay(at_ms - origin, HALF_LIFE_MS)
  const isCode = isCountryCode(country)
  let here = 0
  let elsewhere = 0
  let others = 0
  for (const entry of countries) {
    if (entry[0] === country) here = entry[1] * remaining
    else if (isCountryCode(entry[0]) === isCode) {
      elsewhere += entry[1] * remaining
      others += 1
    }
  }
  const isForeign = (isCode && home_country !== null) || elsewhere >= HABIT_VISITS
  if (!isForeign) return 0
  // One more country is no surprise for a profile that often visits new ones.
  const variety = others === 0 ? 0 : Math.min(1, (others - 1) / Math.max(1, elsewhere))
  return new_country_score * (1 - variety) * Math.max(0, 1 - here / HABIT_POINTS)
}

/** Codes have two capital letters; everything else is a name. */
function isCountryCode(country: string): boolean {
  return country.length === 2 && country === country.toUpperCase()
}

/** Learns a point or a country. The address of a phone order does not move the last point. */
export function learnPlace(
  state: PlacesState | undefined,
  { latitude, longitude, country, order_type }: PlaceFact,
  at_ms: number,
): PlacesState {
  const before = state ?? EMPTY_PLACES
  const hasPoint = latitude !== undefined && longitude !== undefined
  if (!hasPoint && country === undefined) return before
  const places = withRecentOrigin(before, at_ms)
  const weight = visitWeight(at_ms, places.origin, HALF_LIFE_MS)
  if (weight < WEIGHT_MIN) return before
  const countries =
    country === undefined
      ? places.countries
      : visit(places.countries, country, weight, COUNTRIES_MAX)
  const { last, centre, cells, origin } = places
  if (!hasPoint) return { last, centre, cells, countries, origin }
  const isNewest = order_type !== 'phone' && (last === null || at_ms >= last.at)
  return {
    last: isNewest
      ? {
          latitude: round(latitude),
          longitude: round(longitude),
          at: at_ms,
          is_remote: order_type === 'online',
        }
      : last,
    centre: moveCenter(centre, latitude, longitude),
    cells: visit(cells, cellOf(latitude, longitude), weight, CELLS_MAX),
    countries,
    origin,
  }
}

function withRecentOrigin(places: PlacesState, at_ms: number): PlacesState {
  const age_ms = at_ms - places.origin
  if (places.cells.length === 0 && places.countries.length === 0) {
    return age_ms === 0 ? places : { ...places, origin: at_ms }
  }
  if (age_ms <= ORIGIN_AGE_MAX_MS) return places
  const share = decay(age_ms, HALF_LIFE_MS)
  return {
    ...places,
    cells: faded(places.cells, share),
    countries: faded(places.countries, share),
    origin: at_ms,
  }
}
