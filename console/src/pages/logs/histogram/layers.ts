/** The bars of a histogram in layers, by level or by the values of another field. */
import type { FieldSeries } from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import type { Histogram } from '../../../../../src/modules/edge/logs/schema.ts'
import { LEVELS, type Level } from '../view.ts'

export type Layers = {
  from: string
  until: string
  step_ms: number
  total: number
  /** Start of each bar. */
  starts: readonly string[]
  /** From bottom to top; `counts` has a number for each bar. */
  layers: readonly { name: string; color: string; counts: readonly number[] }[]
}

const LEVEL_COLORS: Record<Level, string> = {
  debug: 'var(--line-strong)',
  info: 'var(--series-6)',
  warn: 'var(--series-2)',
  error: 'var(--danger)',
  fatal: 'var(--series-3)',
}

export const levelLayers = ({ bars, ...counts }: Histogram): Layers => ({
  ...counts,
  starts: bars.map(({ timestamp }) => timestamp),
  layers: LEVELS.map((level) => ({
    name: level,
    color: LEVEL_COLORS[level],
    counts: bars.map(
      ({ by_level }) => by_level.find((counted) => counted.level === level)?.count ?? 0,
    ),
  })),
})

/** The most frequent value is at the bottom, and all values without a layer are at the top. */
export function valueLayers({ series, ...counts }: FieldSeries): Layers {
  const first = Math.floor(Date.parse(counts.from) / counts.step_ms) * counts.step_ms
  const steps = series[0]?.points.length ?? 0
  return {
    ...counts,
    starts: Array.from({ length: steps }, (_, index) =>
      new Date(first + index * counts.step_ms).toISOString(),
    ),
    layers: series.map(({ value, points }, index) => ({
      name: seriesName(value),
      color: value === null ? 'var(--line-strong)' : `var(--series-${index + 1})`,
      counts: points.map((point) => point ?? 0),
    })),
  }
}

export const seriesName = (value: string | null): string =>
  value === null ? 'all others' : value === '' ? '(none)' : value
