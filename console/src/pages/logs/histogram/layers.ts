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
  layers: readonly Layer[]
}

/** `texture` is the number of the series that has it in other charts. */
type Layer = { name: string; color: string; texture: number; counts: readonly number[] }

export const sumOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0)

export const heightOf = (layers: Layers['layers'], bar: number): number =>
  sumOf(layers.map(({ counts }) => counts[bar] ?? 0))

/** Most logs have the level info, so its bars are plain. */
const LEVEL_LOOKS: Record<Level, Pick<Layer, 'color' | 'texture'>> = {
  debug: { color: 'var(--line-strong)', texture: 2 },
  info: { color: 'var(--series-6)', texture: 0 },
  warn: { color: 'var(--series-2)', texture: 1 },
  error: { color: 'var(--danger)', texture: 3 },
  fatal: { color: 'var(--series-3)', texture: 5 },
}

export const levelLayers = ({ bars, ...counts }: Histogram): Layers => ({
  ...counts,
  starts: bars.map(({ timestamp }) => timestamp),
  layers: LEVELS.map((level) => ({
    name: level,
    ...LEVEL_LOOKS[level],
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
      texture: index,
      counts: points.map((point) => point ?? 0),
    })),
  }
}

export const seriesName = (value: string | null): string =>
  value === null ? 'all others' : value === '' ? '(none)' : value
