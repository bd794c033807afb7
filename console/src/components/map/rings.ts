/** Outlines on a flat map: rings across the date line and rings around a pole. */

/** Longitude and latitude of each point; the last point repeats the first. */
export type Ring = readonly (readonly number[])[]

const POLE = 90
const HALF_TURN = 180

/**
 * Removes the jump at the date line by continuing beyond 180 degrees, and closes a ring around a pole
 * over that pole.
 */
export function continuous(ring: Ring): Ring {
  let turn = 0
  let before = ring[0]?.[0] ?? 0
  const points = ring.map(([longitude = 0, latitude = 0]) => {
    if (longitude - before > HALF_TURN) turn -= 2 * HALF_TURN
    else if (before - longitude > HALF_TURN) turn += 2 * HALF_TURN
    before = longitude
    return [longitude + turn, latitude]
  })
  if (turn === 0) return points
  const [first = 0, latitude = 0] = points[0] ?? []
  const pole = latitude < 0 ? -POLE : POLE
  return [...points, [first + turn, pole], [first, pole]]
}
