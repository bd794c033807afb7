/**
 * Centre of the points where somebody was, and how far from it they usually are. Long memory; one
 * journey moves it little.
 */
import { distanceKm, eastward } from './geometry.ts'
import { readable, round } from './numbers.ts'

export type Centre = {
  readonly latitude: number
  readonly longitude: number
  /** Mean distance of the points. */
  readonly radius_km: number
  /** Points seen, counted up to a cap. */
  readonly points: number
}

/** From here on the newest point weighs 1/50. */
const POINTS_MAX = 50
const RADIUS_MIN_KM = 25
/** What lies further out is unusual, and is learnt as if it lay here. */
const REACH_RADII = 3
/** So few points tell no radius that one could clip by. */
const CLIPPED_POINTS = 3

/** How many times the usual reach (three mean radii) a point is away from the centre. */
export function reachesFrom(centre: Centre, latitude: number, longitude: number): number {
  return distanceKm(centre.latitude, centre.longitude, latitude, longitude) / reachKm(centre)
}

export function moveCentre(centre: Centre | null, latitude: number, longitude: number): Centre {
  if (centre === null) {
    return { latitude: round(latitude), longitude: round(longitude), radius_km: 0, points: 1 }
  }
  const points = Math.min(POINTS_MAX, centre.points + 1)
  const away_km = distanceKm(centre.latitude, centre.longitude, latitude, longitude)
  const near_km = centre.points < CLIPPED_POINTS ? away_km : Math.min(away_km, reachKm(centre))
  const step = away_km === 0 ? 0 : near_km / away_km / points
  const north = latitude - centre.latitude
  const east = eastward(centre.longitude, longitude)
  return {
    latitude: round(centre.latitude + step * north),
    longitude: round(eastward(0, centre.longitude + step * east)),
    radius_km: readable(centre.radius_km + (near_km - centre.radius_km) / points),
    points,
  }
}

function reachKm({ radius_km }: Centre): number {
  return REACH_RADII * Math.max(radius_km, RADIUS_MIN_KM)
}
