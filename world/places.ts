/** Cities of customers and attackers, distances, and the time that people take to travel between them. */
import type { Random } from '../src/platform/random.ts'
import type { Zone } from './time.ts'

export type Position = { latitude: number; longitude: number }

export type City = Position & {
  name: string
  /** ISO 3166 alpha-2 */
  country: string
  zone: Zone
  /** Number of customers here, relative to other cities. */
  weight: number
}

/** Name, country, latitude, longitude, hours ahead of UTC, population in thousands. */
const readCities = (rows: string): readonly City[] =>
  rows
    .trim()
    .split(/\s*[;\n]\s*/)
    .map((row) => {
      const [name = '', country = '', ...numbers] = row.split(',')
      const [latitude = 0, longitude = 0, zone = 0, weight = 0] = numbers.map(Number)
      return { name, country, latitude, longitude, zone, weight }
    })

export const HOME_CITIES = readCities(`
  Berlin,DE,52.52,13.405,1,3700; Hamburg,DE,53.551,9.994,1,1850; Munich,DE,48.137,11.575,1,1500
  Cologne,DE,50.938,6.96,1,1080; Frankfurt,DE,50.11,8.682,1,760; Stuttgart,DE,48.776,9.183,1,630
  Leipzig,DE,51.34,12.373,1,600; Nuremberg,DE,49.452,11.077,1,520; Freiburg,DE,47.999,7.842,1,230
  Kiel,DE,54.323,10.139,1,250; Vienna,AT,48.208,16.373,1,1900; Graz,AT,47.07,15.439,1,290
  Salzburg,AT,47.8,13.04,1,155; Zurich,CH,47.377,8.541,1,430; Basel,CH,47.56,7.588,1,175
  Amsterdam,NL,52.373,4.892,1,870; Rotterdam,NL,51.924,4.478,1,650
`)

/** Destinations of trips, and places of attackers as much as the cities at home. */
export const FAR_CITIES = readCities(`
  Paris,FR,48.857,2.352,1,2150; London,GB,51.507,-0.128,0,8900; Rome,IT,41.903,12.496,1,2800
  Milan,IT,45.464,9.19,1,1400; Barcelona,ES,41.385,2.173,1,1600; Palma,ES,39.57,2.65,1,420
  Lisbon,PT,38.722,-9.139,0,550; Prague,CZ,50.075,14.438,1,1300; Copenhagen,DK,55.676,12.568,1,640
  Stockholm,SE,59.329,18.069,1,980; Athens,GR,37.984,23.728,2,660; Antalya,TR,36.897,30.713,3,1300
  Bucharest,RO,44.427,26.103,2,1800; Dubai,AE,25.205,55.271,4,3300; New York,US,40.713,-74.006,-5,8300
  Toronto,CA,43.653,-79.383,-5,2900; Sao Paulo,BR,-23.551,-46.633,-3,12300; Tokyo,JP,35.676,139.65,9,13900
  Singapore,SG,1.352,103.82,8,5600; Sydney,AU,-33.869,151.209,10,5300
`)

export const ALL_CITIES: readonly City[] = [...HOME_CITIES, ...FAR_CITIES]

const EARTH_KM = 6_371
const KM_PER_DEGREE = 111

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

/** A random position around a place; `km` is the standard deviation of each axis. */
export function near(random: Random, { latitude, longitude }: Position, km: number): Position {
  const degrees = km / KM_PER_DEGREE
  const north = random.normal(0, degrees)
  const east = random.normal(0, degrees) / Math.cos(radians(latitude))
  return { latitude: fixed(latitude + north), longitude: fixed(longitude + east) }
}

/** Five decimals, about a meter, as positioning reports. */
const fixed = (degrees: number): number => Math.round(degrees * 1e5) / 1e5
