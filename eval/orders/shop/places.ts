/** Cities of the shop's customers and of attackers, distances, and how long people travel between them. */
import type { Random } from '../../../src/platform/random.ts'

export type City = {
  name: string
  country: string
  latitude: number
  longitude: number
  /** Hours from UTC; summer time is left out, for one calendar on every machine. */
  utc_offset: number
  /** Population, thousands. */
  weight: number
}

export type Position = { latitude: number; longitude: number }

const city = (
  name: string,
  country: string,
  [latitude, longitude]: [number, number],
  utc_offset: number,
  weight: number,
): City => ({ name, country, latitude, longitude, utc_offset, weight })

/** Where the shop delivers and has stores. */
export const HOME_CITIES: readonly City[] = [
  city('Berlin', 'DE', [52.52, 13.405], 1, 3_700),
  city('Hamburg', 'DE', [53.551, 9.994], 1, 1_850),
  city('Munich', 'DE', [48.137, 11.575], 1, 1_500),
  city('Cologne', 'DE', [50.938, 6.96], 1, 1_080),
  city('Frankfurt', 'DE', [50.11, 8.682], 1, 760),
  city('Stuttgart', 'DE', [48.776, 9.183], 1, 630),
  city('Leipzig', 'DE', [51.34, 12.373], 1, 600),
  city('Nuremberg', 'DE', [49.452, 11.077], 1, 520),
  city('Freiburg', 'DE', [47.999, 7.842], 1, 230),
  city('Kiel', 'DE', [54.323, 10.139], 1, 250),
  city('Vienna', 'AT', [48.208, 16.373], 1, 1_900),
  city('Graz', 'AT', [47.07, 15.439], 1, 290),
  city('Salzburg', 'AT', [47.8, 13.04], 1, 155),
  city('Zurich', 'CH', [47.377, 8.541], 1, 430),
  city('Basel', 'CH', [47.56, 7.588], 1, 175),
  city('Amsterdam', 'NL', [52.373, 4.892], 1, 870),
  city('Rotterdam', 'NL', [51.924, 4.478], 1, 650),
]

/** Where people go, and where attackers sit as much as anywhere else. */
export const FAR_CITIES: readonly City[] = [
  city('Paris', 'FR', [48.857, 2.352], 1, 2_150),
  city('London', 'GB', [51.507, -0.128], 0, 8_900),
  city('Rome', 'IT', [41.903, 12.496], 1, 2_800),
  city('Milan', 'IT', [45.464, 9.19], 1, 1_400),
  city('Barcelona', 'ES', [41.385, 2.173], 1, 1_600),
  city('Palma', 'ES', [39.57, 2.65], 1, 420),
  city('Lisbon', 'PT', [38.722, -9.139], 0, 550),
  city('Prague', 'CZ', [50.075, 14.438], 1, 1_300),
  city('Copenhagen', 'DK', [55.676, 12.568], 1, 640),
  city('Stockholm', 'SE', [59.329, 18.069], 1, 980),
  city('Athens', 'GR', [37.984, 23.728], 2, 660),
  city('Antalya', 'TR', [36.897, 30.713], 3, 1_300),
  city('Bucharest', 'RO', [44.427, 26.103], 2, 1_800),
  city('Dubai', 'AE', [25.205, 55.271], 4, 3_300),
  city('New York', 'US', [40.713, -74.006], -5, 8_300),
  city('Toronto', 'CA', [43.653, -79.383], -5, 2_900),
  city('Sao Paulo', 'BR', [-23.551, -46.633], -3, 12_300),
  city('Tokyo', 'JP', [35.676, 139.65], 9, 13_900),
  city('Singapore', 'SG', [1.352, 103.82], 8, 5_600),
  city('Sydney', 'AU', [-33.869, 151.209], 10, 5_300),
]

const EARTH_KM = 6_371

/** Great circle, haversine. */
export function distanceKm(from: Position, to: Position): number {
  const [lat1, lat2] = [radians(from.latitude), radians(to.latitude)]
  const across = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2
  const along = Math.sin((lat2 - lat1) / 2) ** 2
  const part = along + Math.cos(lat1) * Math.cos(lat2) * across
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(part)))
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Door to door: road or rail up to 700 km, then by plane with the hours at both airports. */
export function travelHours(from: Position, to: Position): number {
  const km = distanceKm(from, to)
  return km < 700 ? 0.5 + km / 110 : 3.5 + km / 750
}

/** Somewhere around a place; the deviation is that of each axis. */
export function near(random: Random, { latitude, longitude }: Position, km: number): Position {
  const degrees = km / 111
  const north = random.normal(0, degrees)
  const east = random.normal(0, degrees) / Math.cos(radians(latitude))
  return { latitude: fixed(latitude + north), longitude: fixed(longitude + east) }
}

/** Five decimals, about a metre, as positioning gives. */
const fixed = (degrees: number): number => Math.round(degrees * 1e5) / 1e5
