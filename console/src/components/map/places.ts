import type { Point } from './view.ts'

/** `here` is the subject of the map, `before` the previous place, `usual` an area with frequent visits. */
export type MapPlaceKind = 'here' | 'before' | 'usual'

export type MapPlace = Point & {
  kind: MapPlaceKind
  /** "This order", "Usual area, 80% of visits". */
  label: string
}

export type MiniMapProps = {
  /** Text alternative. */
  label: string
  places: readonly MapPlace[]
  /** A line between two of the places. */
  journey?: { from: Point; to: Point } | undefined
}
