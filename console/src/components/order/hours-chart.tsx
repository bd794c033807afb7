/** Orders by hour of the day, in the local time of the order. */
import { percentText } from '../format.ts'
import styles from './charts.module.css'
import { hourText } from './signals.ts'

export type HoursChartProps = {
  /** Shares of the 24 hours; empty when nothing is known. */
  hours: readonly number[]
  /** Hour of the highlighted order. */
  current?: number | undefined
}

const STEP = 16
const WIDTH = 24 * STEP
const HEIGHT = 80
const BOTTOM = 9

export function HoursChart({ hours, current }: HoursChartProps) {
  if (hours.length === 0) return <p class="muted">No data yet.</p>
  const most = Math.max(...hours)
  const summary = describe(hours, current)
  return (
    <figure class={styles['chart']}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={summary}
        class={styles['plot']}
      >
        {hours.map((share, hour) => {
          const height = (share / most) * (HEIGHT - BOTTOM - 8)
          const isMarked = hour === current
          return (
            <rect
              key={hourText(hour)}
              class={styles[isMarked ? 'hour-marked' : 'hour']}
              x={hour * STEP + 1.5}
              width={STEP - 3}
              y={HEIGHT - BOTTOM - Math.max(1.5, height)}
              height={Math.max(1.5, height)}
            >
              <title>{`${hourText(hour)}: ${percentText(share, 0)}`}</title>
            </rect>
          )
        })}
        {current !== undefined && (
          <path
            class={styles['marked']}
            d={`M${current * STEP + STEP / 2},${HEIGHT - BOTTOM + 1} l4,6 h-8 z`}
          />
        )}
      </svg>
      <div class={`${styles['axis']} ${styles['quarters']}`} aria-hidden="true">
        {[0, 6, 12, 18].map((hour) => (
          <span key={hour}>{hourText(hour)}</span>
        ))}
      </div>
      <figcaption>{summary}</figcaption>
    </figure>
  )
}

function describe(hours: readonly number[], current: number | undefined): string {
  const common = hours
    .map((share, hour) => ({ share, hour }))
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ share, hour }) => `${hourText(hour)} (${percentText(share, 0)})`)
  const most = `Most orders at ${common.join(', ')}.`
  if (current === undefined) return most
  return `${most} This order at ${hourText(current)}, an hour with ${percentText(hours[current] ?? 0, 0)} of the orders.`
}
