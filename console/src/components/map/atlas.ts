/** Country outlines (Natural Earth, from world-atlas), loaded with the first map. */

import { feature } from 'topojson-client'
import fine from 'world-atlas/countries-50m.json?url'
import coarse from 'world-atlas/countries-110m.json?url'
import { clipped, continuous, type Ring } from './rings.ts'
import type { View } from './view.ts'

type Topology = Parameters<typeof feature>[0]
export type Outline = { name: string; rings: readonly Ring[] }

/** Views lower than this many degrees use the detailed outlines, which are larger files. */
const FINE_BELOW_DEGREES = 40

/** The atlas with the detail that the view needs. */
export const atlasOf = ({ height }: View): string => (height < FINE_BELOW_DEGREES ? fine : coarse)

export async function loadOutlines(url: string): Promise<Outline[]> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The map could not be loaded: status ${response.status}`)
  return outlinesOf((await response.json()) as Topology)
}

/** One path per country within the view, in units of the drawing. */
export function pathsIn(
  outlines: readonly Outline[],
  view: View,
): { name: string; path: string }[] {
  return outlines.flatMap(({ name, rings }) => {
    const path = rings.map((ring) => pathsOf(ring, view)).join('')
    return path === '' ? [] : [{ name, path }]
  })
}

function outlinesOf(topology: Topology): Outline[] {
  const { countries } = topology.objects
  const found = countries && feature(topology, countries)
  if (!found || !('features' in found)) return []
  return found.features.map(({ properties, geometry }) => {
    const polygons =
      geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : geometry.type === 'Polygon'
          ? [geometry.coordinates]
          : []
    const name: unknown = properties?.['name']
    return { name: String(name), rings: polygons.flat().map(continuous) }
  })
}

/** A view across the date line also contains outlines shifted by 360 degrees. */
function pathsOf(ring: Ring, view: View): string {
  return [-360, 0, 360]
    .map((turn) => (isSeen(ring, turn, view) ? pathOf(ring, turn, view) : ''))
    .join('')
}

function isSeen(ring: Ring, turn: number, { west, north, width, height }: View): boolean {
  let [least, most, south, top] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [longitude = 0, latitude = 0] of ring) {
    least = Math.min(least, longitude + turn)
    most = Math.max(most, longitude + turn)
    south = Math.min(south, latitude)
    top = Math.max(top, latitude)
  }
  return most > west && least < west + width && top > north - height && south < north
}

/** Share of the map beyond its frame, where the lines that close outlines are not seen. */
const EDGE = 0.005

function pathOf(ring: Ring, turn: number, view: View): string {
  const { west, north, width, height, squeeze } = view
  const frame = {
    west: west - turn - EDGE * width,
    east: west - turn + (1 + EDGE) * width,
    south: north - (1 + EDGE) * height,
    north: north + EDGE * height,
  }
  const points = clipped(ring, frame).map(([longitude = 0, latitude = 0]) => {
    const x = (longitude + turn - west) * squeeze
    return `${x.toFixed(3)},${(north - latitude).toFixed(3)}`
  })
  // The box of an outline can overlap the view where the outline itself does not.
  return points.length === 0 ? '' : `M${points.join('L')}Z`
}
