/** Draws a map. A file of its own, so that pages without maps do not load it. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'preact/hooks'
import { atlasOf, loadOutlines, pathsIn } from './atlas.ts'
import styles from './mini-map.module.css'
import type { MapPlace, MiniMapProps } from './places.ts'
import { placeIn, type View, viewOf } from './view.ts'

const RATIO = 16 / 9

export default function Drawing({ label, places, journey }: MiniMapProps) {
  const coordinates = JSON.stringify(places.map(({ latitude, longitude }) => [latitude, longitude]))
  const view = useMemo(() => viewOf(places, RATIO), [coordinates])
  const url = atlasOf(view)
  const { data: outlines, isError } = useQuery({
    queryKey: ['atlas', url],
    queryFn: () => loadOutlines(url),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const countries = useMemo(() => pathsIn(outlines ?? [], view), [outlines, view])
  const [from, to] = journey ? [placeIn(view, journey.from), placeIn(view, journey.to)] : []
  return (
    <svg
      class={styles['drawing']}
      viewBox={`0 0 ${view.width * view.squeeze} ${view.height}`}
      role="img"
      aria-label={isError ? `${label} (country outlines could not be loaded)` : label}
    >
      {countries.map(({ name, path }) => (
        <path key={name} d={path} class={styles['country']}>
          <title>{name}</title>
        </path>
      ))}
      {from && to && <line class={styles['journey']} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />}
      {places.toReversed().map((place) => (
        <Mark
          key={`${place.kind} ${place.latitude} ${place.longitude}`}
          place={place}
          view={view}
        />
      ))}
    </svg>
  )
}

function Mark({ place, view }: { place: MapPlace; view: View }) {
  const { x, y } = placeIn(view, place)
  const size = view.height / 45
  const title = <title>{place.label}</title>
  const ink = styles[place.kind]
  if (place.kind === 'here') {
    const corners = `${x},${y - 1.5 * size} ${x + 1.5 * size},${y} ${x},${y + 1.5 * size} ${x - 1.5 * size},${y}`
    return (
      <polygon class={ink} points={corners}>
        {title}
      </polygon>
    )
  }
  return (
    <circle class={ink} cx={x} cy={y} r={place.kind === 'usual' ? 1.6 * size : size}>
      {title}
    </circle>
  )
}
