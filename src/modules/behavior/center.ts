/**
 * Center of the points where a profile was seen, and the usual distance from it. The memory is
 * long, so one journey moves it little.
 */
import { distanceKm, eastward } from './geometry.ts'
import { readable, round } from './numbers.ts'

export type Center = {
  readonly latitude: number
  readonly longitude: number
  /** Mean distance of the points. */
  readonly radius_km: number
  /** Points seen, up to a cap. */
  readonly points: number
}

/** The newest point weighs at least 1/50. */
const POINTS_MAX = 50
const RADIUS_MIN_KM = 25
/** Points further out are unusual and learned as if they were this far. */
const REACH_RADII = 3
/** Fewer points give no radius to clip by. */
const CLIPPED_POINTS = 3

/**
 * Returns the distance of a point from the center in units of the usual reach (three mean radii).
 */
export function reachesFrom(center: Center, latitude: number, longitude: number): number {
  return distanceKm(center.latitude, center.longitude, latitude, longitude) / reachKm(center)
}

export function moveCenter(center: Center | null, latitude: number, longitude: number): Center {
  if (center === null) {
    return { latitude: round(latitude), longitude: round(longitude), radius_km: 0, points: 1 }
  }
  const points = Math.min(POINTS_MAX, center.points + 1)
  const distance_km = distanceKm(center.latitude, center.longitude, latitude, longitude)
  const near_km =
    center.points < CLIPPED_POINTS ? distance_km : Math.min(distance_km, reachKm(center))
  const step = distance_km === 0 ? 0 : near_km / distance_km / points
  const north = latitude - center.latitude
  const east = eastward(center.longitude, longitude)
  return {
    latitude: round(center.latitude + step * north),
    longitude: round(eastward(0, center.longitude + step * east)),
    radius_km: readable(center.radius_km + (near_km - center.radius_km) / points),
    points,
  }
}

function reachKm({ radius_km }: Center): number {
  return REACH_RADII * Math.max(radius_km, RADIUS_MIN_KM)
}
