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

export type Frame = { west: number; east: number; south: number; north: number }

/** The part of an outline within a frame (Sutherland and Hodgman): the rest would cover what is around the map. */
export function clipped(ring: Ring, { west, east, south, north }: Frame): Ring {
  const edges = [
    { axis: 0, at: west, sign: 1 },
    { axis: 0, at: east, sign: -1 },
    { axis: 1, at: south, sign: 1 },
    { axis: 1, at: north, sign: -1 },
  ]
  return edges.reduce<Ring>((points, edge) => points.flatMap(pastEdge(points, edge)), ring)
}

type Edge = { axis: number; at: number; sign: number }

/** The points that replace one point: none outside, and one where the line to it crosses the edge. */
const pastEdge =
  (points: Ring, { axis, at, sign }: Edge) =>
  (point: readonly number[], index: number): Ring => {
    const before = points.at(index - 1) ?? point
    const depth = sign * ((point[axis] ?? 0) - at)
    const depthBefore = sign * ((before[axis] ?? 0) - at)
    const own = depth >= 0 ? [point] : []
    if (depth >= 0 === depthBefore >= 0) return own
    const share = depthBefore / (depthBefore - depth)
    const crossing = point.map((value, each) => (before[each] ?? 0) * (1 - share) + value * share)
    return [crossing, ...own]
  }
