/** Small pictures drawn by hand: one number as a bar, several as parts of one, a line without axes. */
import type { Tone } from './badge.tsx'

export type BarProps = {
  /** What it shows, in words. */
  label: string
  value: number
  max?: number
  tone?: Tone
  /** A line across, such as a limit or the median of peers. */
  mark?: number | undefined
}

export function Bar({ label, value, max = 100, tone = 'neutral', mark }: BarProps) {
  const share = (of: number) => `${Math.max(0, Math.min(100, (100 * of) / (max || 1)))}%`
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      <span class={`bar-fill tone-${tone}`} style={{ width: share(value) }} />
      {mark !== undefined && <span class="bar-mark" style={{ left: share(mark) }} />}
    </span>
  )
}

export type Part = { label: string; value: number; tone?: Tone; series?: 1 | 2 | 3 | 4 | 5 | 6 }

/** Parts of a whole, with a legend below when asked for. */
export function PartsBar({ label, parts }: { label: string; parts: readonly Part[] }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const words = parts.map(({ label: name, value }) => `${name} ${value}`).join(', ')
  return (
    <span class="bar bar-parts" role="img" aria-label={`${label}: ${words}`} title={words}>
      {parts.map(({ label: name, value, tone, series }) => (
        <span
          key={name}
          class={
            series === undefined
              ? `bar-fill tone-${tone ?? 'neutral'}`
              : `bar-fill series-${series}`
          }
          style={{ width: `${(100 * value) / (total || 1)}%` }}
        />
      ))}
    </span>
  )
}

export type SparklineProps = { label: string; values: readonly number[]; tone?: Tone }

const WIDTH = 120
const HEIGHT = 28

export function Sparkline({ label, values, tone = 'info' }: SparklineProps) {
  const max = Math.max(1, ...values)
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0
  const points = values
    .map((value, index) => `${(index * step).toFixed(1)},${y(value, max).toFixed(1)}`)
    .join(' ')
  return (
    <svg
      class={`sparkline ink-${tone}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <polyline points={points} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}

const y = (value: number, max: number): number => HEIGHT - 2 - ((HEIGHT - 4) * value) / max

/** @param value undefined while it cannot be told how far it is */
export function Progress({ label, value, max }: { label: string; value?: number; max?: number }) {
  return (
    <div class="progress">
      <span class="progress-label">{label}</span>
      <progress aria-label={label} {...(value !== undefined && { value, max: max ?? 1 })} />
    </div>
  )
}
