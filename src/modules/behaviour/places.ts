/**
 * Where somebody is usually found, and whether the way from the last place to this one can have
 * been travelled (fraud research 3.4). Times are ms since 1970, coordinates degrees (WGS 84).
 */
import { type Centre, moveCentre, reachesFrom } from './centre.ts'
import { cellOf, distanceKm } from './geometry.ts'
import type { Assessment, Measurement } from './measurement.ts'
import { DAY_MS, decay, HOUR_MS, MINUTE_MS, readable, round } from './numbers.ts'
import { faded, type Visits, visit, visitWeight, weightOf } from './visits.ts'

export type PlacesState = {
  /** Newest point in event time; never replaced by an older one. */
  readonly last: LastPoint | null
  /** Centre of all points and their mean distance from it; long memory, outliers clipped. */
  readonly centre: Centre | null
  /** Cells of about 28 km, eight at most, by how often they were visited. */
  readonly cells: Visits<number>
  /** Countries (codes or lower-case names), four at most, by how often they were visited. */
  readonly countries: Visits<string>
  /** ms at which a visit weighs 1; later ones weigh more, so that nothing has to decay. */
  readonly origin: number
  /**
   * Country or cell that is not believed yet, and the minute of the first order from there; until
   * somewhere is learnt.
   */
  readonly doubtful?: readonly [place: string | number, first_minute: number]
}

export type LastPoint = {
  readonly latitude: number
  readonly longitude: number
  readonly at: number
  /** Coordinates of an online order may be where it is shipped to. */
  readonly is_remote: boolean
}

export type PlaceFact = {
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  /** ISO 3166 alpha-2, or a name in lower case. */
  readonly country: string | undefined
  readonly order_type: 'online' | 'in_store' | 'phone' | 'other' | undefined
}

export type PlacesParameters = {
  /** Taken off every distance: two cells of one network, a pin set wrong. */
  readonly slack_km: number
  /** Nothing nearer is called impossible, however fast. */
  readonly far_km: number
  readonly impossible_kmh: number
  /** Speeds from here to the impossible are graded. */
  readonly fast_kmh: number
  readonly impossible_score: number
  /** The most that travel says when one of the two points may be where goods are shipped to. */
  readonly remote_score: number
  /** The same when that is a place where the profile is often found. */
  readonly remote_usual_score: number
  readonly unusual_place_score: number
  readonly new_country_score: number
  /** The most that a holiday says: an unusual place in a new country. */
  readonly away_score: number
}

export const PLACES_PARAMETERS: PlacesParameters = {
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
}

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
/** The weights are brought back to the present before they outgrow their four decimals. */
const ORIGIN_AGE_MAX_MS = 4 * HALF_LIFE_MS
/** A visit so long past that it tells nothing. */
const WEIGHT_MIN = 0.01
/** Fewer points make no habit: then only impossible travel and the profile's country count. */
const HABIT_POINTS = 3
/** As many visits to other countries, some of them faded a little. */
const HABIT_VISITS = 2.5
/** Share of the impossible that the slowest fast journey is, and what the fastest adds to it. */
const FAST_SHARE_MIN = 0.2
const FAST_SHARE = 0.6
/** Visits after which a cell is where a profile is often found. */
const USUAL_VISITS = 1.5

/**
 * @param at_ms event time
 * @param home_country the profile's own country code
 * @returns findings `impossible_travel`, `fast_travel`, `unusual_place`, `new_country`
 */
export function assessPlace(
  state: PlacesState | undefined,
  fact: PlaceFact,
  at_ms: number,
  home_country: string | null,
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
    travel = assessTravel(places.last, fact, at_ms, visits, parameters, numbers)
    if (weight === 0) place = assessDistance(places.centre, latitude, longitude, parameters)
    numbers['cells_known'] = places.cells.length
  }
  const country = assessCountry(places, fact.country, at_ms, home_country, parameters)
  if (fact.country !== undefined) numbers['country'] = fact.country
  const away = Math.min(parameters.away_score, place + country - (place * country) / 100)
  const strength = Math.max(travel, away)
  let finding: string | null = null
  if (travel > 0 && travel >= away) {
    const isImpossible = Number(numbers['speed_kmh']) > parameters.impossible_kmh
    finding = isImpossible ? 'impossible_travel' : 'fast_travel'
  } else if (away > 0) finding = country >= place ? 'new_country' : 'unusual_place'
  return { score: Math.round(strength), strength, finding, numbers }
}

/**
 * Strength of the journey from the last point, 0-100, either way in time: a late event is compared
 * by the time between the two. The address of a phone order says nothing of where the caller is.
 */
function assessTravel(
  last: LastPoint | null,
  { latitude, longitude, order_type }: PlaceFact,
  at_ms: number,
  visits: number,
  parameters: PlacesParameters,
  numbers: Measurement['numbers'],
): number {
  if (last === null || latitude === undefined || longitude === undefined) return 0
  if (order_type === 'phone') return 0
  const distance_km = distanceKm(last.latitude, last.longitude, latitude, longitude)
  const elapsed_ms = Math.abs(at_ms - last.at)
  const hours = Math.max(elapsed_ms, MINUTE_MS) / HOUR_MS
  const speed_kmh = Math.round(Math.max(0, distance_km - parameters.slack_km) / hours)
  numbers['distance_km'] = Math.round(distance_km)
  numbers['hours'] = readable(elapsed_ms / HOUR_MS)
  numbers['speed_kmh'] = speed_kmh
  const { fast_kmh, impossible_kmh, impossible_score } = parameters
  if (speed_kmh < fast_kmh || distance_km <= parameters.far_km) return 0
  const share = (speed_kmh - fast_kmh) / (impossible_kmh - fast_kmh)
  const graded = impossible_score * (FAST_SHARE_MIN + FAST_SHARE * share)
  const score = speed_kmh > impossible_kmh ? impossible_score : graded
  if (order_type !== 'online' && !last.is_remote) return score
  const isUsual = visits >= USUAL_VISITS
  const most = isUsual ? parameters.remote_usual_score : parameters.remote_score
  return (score * most) / impossible_score
}

/** Strength of being far from everywhere else, 0-100; for places outside the known cells. */
function assessDistance(
  centre: Centre | null,
  latitude: number,
  longitude: number,
  { unusual_place_score }: PlacesParameters,
): number {
  if (centre === null || centre.points < HABIT_POINTS) return 0
  const reaches = reachesFrom(centre, latitude, longitude)
  if (reaches <= 1) return 0
  const confidence = Math.min(1, 0.4 + 0.06 * centre.points)
  return unusual_place_score * confidence * Math.min(1, 0.25 + reaches / 4)
}

/** Strength of an unknown country, 0-100; a code is compared with codes, a name with names. */
function assessCountry(
  { countries, origin }: PlacesState,
  country: string | undefined,
  at_ms: number,
  home_country: string | null,
  { new_country_score }: PlacesParameters,
): number {
  if (country === undefined || country === home_country) return 0
  const kept = decay(at_ms - origin, HALF_LIFE_MS)
  const isCode = isCountryCode(country)
  let here = 0
  let elsewhere = 0
  let others = 0
  for (const entry of countries) {
    if (entry[0] === country) here = entry[1] * kept
    else if (isCountryCode(entry[0]) === isCode) {
      elsewhere += entry[1] * kept
      others += 1
    }
  }
  const isForeign = (isCode && home_country !== null) || elsewhere >= HABIT_VISITS
  if (!isForeign) return 0
  // Of somebody who is in another country every few visits, one more is no surprise.
  const variety = others === 0 ? 0 : Math.min(1, (others - 1) / Math.max(1, elsewhere))
  return new_country_score * (1 - variety) * Math.max(0, 1 - here / HABIT_POINTS)
}

/** What countries are told by: two capital letters, else it is a name. */
function isCountryCode(country: string): boolean {
  return country.length === 2 && country === country.toUpperCase()
}

/** A point or a country that somebody was at. An address told by phone moves no one. */
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
    centre: moveCentre(centre, latitude, longitude),
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
