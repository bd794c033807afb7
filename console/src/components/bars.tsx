import type { Tone } from './badge.tsx'

export type BarProps = {
  /** Text alternative. */
  label: string
  value: number
  max?: number
  tone?: Tone
  /** Position of a marker line, such as a limit or the median of peers. */
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

export type Part = { label: string; value: number; tone?: Tone; series?: number }

/** @param series from 1 to 6 */
export const seriesStyle = (series: number | undefined) =>
  series === undefined ? {} : { background: `var(--series-${series})` }

/** Parts of a whole. */
export function PartsBar({ label, parts }: { label: string; parts: readonly Part[] }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const words = parts.map(({ label: name, value }) => `${name} ${value}`).join(', ')
  return (
    <span class="bar bar-parts" role="img" aria-label={`${label}: ${words}`} title={words}>
      {parts.map(({ label: name, value, tone, series }) => (
        <span
          key={name}
          class={`bar-fill tone-${tone ?? 'neutral'}`}
          style={{ width: `${(100 * value) / (total || 1)}%`, ...seriesStyle(series) }}
        />
      ))}
    </span>
  )
}

const WIDTH = 120
const HEIGHT = 28

export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const max = Math.max(1, ...values)
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0
  const points = values
    .map((value, index) => `${(index * step).toFixed(1)},${y(value, max).toFixed(1)}`)
    .join(' ')
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}

const y = (value: number, max: number): number => HEIGHT - 2 - ((HEIGHT - 4) * value) / max

/** @param value undefined while the progress is unknown */
export function Progress({ label, value, max }: { label: string; value?: number; max?: number }) {
  return (
    <div class="progress">
      <span class="progress-label">{label}</span>
      <progress aria-label={label} {...(value !== undefined && { value, max: max ?? 1 })} />
    </div>
  )
}
