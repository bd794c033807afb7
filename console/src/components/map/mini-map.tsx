/** A few places on a small world map that loads nothing from third parties. */
import { lazy, Suspense } from 'preact/compat'
import styles from './mini-map.module.css'
import type { MiniMapProps } from './places.ts'
import type { Point } from './view.ts'

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
