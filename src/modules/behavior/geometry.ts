/**
 * Distances on the globe and the cells that it is divided into, with as little arithmetic as
 * possible.
 */
import { clamp } from './numbers.ts'

const EARTH_RADIUS_KM = 6371
const RADIANS = Math.PI / 180
/** Points within this many degrees, about 50 m, are the same place. */
const SAME_DEGREES = 0.0005
/**
 * Within this range the flat approximation errs by a few parts in ten thousand, except near the
 * poles.
 */
const FLAT_DEGREES = 1
const POLAR_LATITUDE = 70

/**
 * Great-circle distance of two points in degrees by the haversine formula, or for near points,
 * which most are, by Pythagoras at a third of the cost.
 */
export function distanceKm(
  latitude: number,
  longitude: number,
  other_latitude: number,
  other_longitude: number,
): number {
  const north = other_latitude - latitude
  const east = other_longitude - longitude
  const apart = Math.max(Math.abs(north), Math.abs(east))
  if (apart < SAME_DEGREES) return 0
  if (apart < FLAT_DEGREES && Math.abs(latitude) < POLAR_LATITUDE) {
    const flat_east = east * Math.cos((latitude + north / 2) * RADIANS)
    return EARTH_RADIUS_KM * RADIANS * Math.sqrt(north * north + flat_east * flat_east)
  }
  const n = Math.sin((north * RADIANS) / 2)
  const e = Math.sin((east * RADIANS) / 2)
  const h = n * n + Math.cos(latitude * RADIANS) * Math.cos(other_latitude * RADIANS) * e * e
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, h)))
}

/** Returns the shorter way from one longitude to another, -180 to 180. */
export function eastward(longitude: number, other_longitude: number): number {
  const turn = other_longitude - longitude
  if (turn > 180) return turn - 360
  return turn < -180 ? turn + 360 : turn
}

const ROWS_PER_DEGREE = 4
const ROWS = 180 * ROWS_PER_DEGREE
/** Exceeds the columns of any row, so that one number identifies a cell. */
const ROW_STRIDE = 2048

/**
 * Returns the cell of a point. Rows are a quarter of a degree (28 km) high and divided into columns
 * of about that width at their latitude; geohash cells would become slivers in the north.
 */
export function cellOf(latitude: number, longitude: number): number {
  const row = clamp(Math.floor((latitude + 90) * ROWS_PER_DEGREE), 0, ROWS - 1)
  const middle = (row + 0.5) / ROWS_PER_DEGREE - 90
  const columns = Math.ceil(2 * ROWS * Math.cos(middle * RADIANS))
  const column = clamp(Math.floor(((longitude + 180) / 360) * columns), 0, columns - 1)
  return row * ROW_STRIDE + column
}

/** Returns the center of a cell, for maps. */
export function cellCenter(cell: number): { latitude: number; longitude: number } {
  const row = Math.floor(cell / ROW_STRIDE)
  const latitude = (row + 0.5) / ROWS_PER_DEGREE - 90
  const columns = Math.ceil(2 * ROWS * Math.cos(latitude * RADIANS))
  const longitude = (((cell % ROW_STRIDE) + 0.5) / columns) * 360 - 180
  return { latitude, longitude }
}
