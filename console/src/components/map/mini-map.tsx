/** A few places on a small map of the world that needs no network beyond the service. */
import { lazy, Suspense } from 'preact/compat'
import styles from './mini-map.module.css'
import type { Point } from './view.ts'

/** `here` is what the map is about, `before` where it came from, `usual` an area that is often visited. */
export type MapPlaceKind = 'here' | 'before' | 'usual'

export type MapPlace = Point & {
  kind: MapPlaceKind
  /** What it is: "This order", "Usual area, 80 % of visits". */
  label: string
}

export type MiniMapProps = {
  /** What the map shows, in words. */
  label: string
  places: readonly MapPlace[]
  /** A straight line between two of the places, such as a journey. */
  journey?: { from: Point; to: Point } | undefined
}

const Drawing = lazy(() => import('./drawing.tsx'))

export function MiniMap(props: MiniMapProps) {
  if (props.places.length === 0) return null
  return (
    <figure class={styles['map']}>
      <Suspense fallback={<div class={styles['blank']} />}>
        <Drawing {...props} />
      </Suspense>
      <figcaption>
        <ul class={styles['places']}>
          {props.places.map(({ kind, label, latitude, longitude }) => (
            <li key={`${kind} ${latitude} ${longitude}`}>
              <span class={`${styles['sign']} ${styles[kind]}`} aria-hidden="true" />
              {label}: <span class="number">{coordinatesText({ latitude, longitude })}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

/** 52.52° N 13.40° E */
export function coordinatesText({ latitude, longitude }: Point): string {
  const text = (value: number, [plus, minus]: readonly [string, string]) =>
    `${Math.abs(value).toFixed(2)}° ${value < 0 ? minus : plus}`
  return `${text(latitude, ['N', 'S'])} ${text(longitude, ['E', 'W'])}`
}
