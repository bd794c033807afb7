/** The map section that contains some points: equirectangular, with widths corrected for the latitude. */
export type Point = { latitude: number; longitude: number }

export type View = {
  /** West edge in degrees; longitudes continue beyond 180 across the date line. */
  west: number
  north: number
  /** Extent in degrees. */
  width: number
  height: number
  /** Width of a degree relative to its height in the middle of the map. */
  squeeze: number
}

/** About 500 km; the atlas has no more detail than that. */
const HEIGHT_MIN = 5
const MARGIN = 1.35
const SQUEEZE_MIN = 0.25

/** @param ratio of width to height */
export function viewOf(points: readonly Point[], ratio: number): View {
  const longitudes = unwrapped(points.map(({ longitude }) => longitude))
  const latitudes = points.map(({ latitude }) => latitude)
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
  const middle = (south + north) / 2
  const squeeze = Math.max(SQUEEZE_MIN, Math.cos((middle * Math.PI) / 180))
  const needed = Math.max(
    HEIGHT_MIN,
    (north - south) * MARGIN,
    ((east - west) * MARGIN * squeeze) / ratio,
  )
  const height = Math.min(180, needed)
  const width = Math.min(360, (height * ratio) / squeeze)
  const top = Math.min(90, Math.max(middle + height / 2, -90 + height))
  return { west: (west + east) / 2 - width / 2, north: top, width, height, squeeze }
}

/** Longitudes without the jump at 180 degrees: the map leaves out the widest gap between them. */
export function unwrapped(longitudes: readonly number[]): number[] {
  const sorted = longitudes.toSorted((a, b) => a - b)
  const westmost = sorted[0] ?? 0
  let widest = 0
  let first = westmost
  for (const [index, longitude] of sorted.entries()) {
    const next = sorted[index + 1]
    const gap = (next ?? westmost + 360) - longitude
    if (gap > widest) {
      widest = gap
      first = next ?? westmost
    }
  }
  return longitudes.map((longitude) => (longitude < first ? longitude + 360 : longitude))
}

/** Converts degrees to units of the drawing, which is `height` units high. */
export function placeIn(view: View, { latitude, longitude }: Point): { x: number; y: number } {
  const turns = Math.ceil((view.west - longitude) / 360)
  const east = longitude + 360 * Math.max(0, turns) - view.west
  return { x: east * view.squeeze, y: view.north - latitude }
}

const EARTH_RADIUS_KM = 6371
const RADIANS = Math.PI / 180

/** Great-circle distance, by the haversine formula. */
export function distanceKm(a: Point, b: Point): number {
  const north = Math.sin(((b.latitude - a.latitude) * RADIANS) / 2)
  const east = Math.sin(((b.longitude - a.longitude) * RADIANS) / 2)
  const shrink = Math.cos(a.latitude * RADIANS) * Math.cos(b.latitude * RADIANS)
  const h = north * north + shrink * east * east
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, h)))
}
