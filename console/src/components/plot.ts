/** Draws with uPlot. A file of its own, so that pages without charts do not load it. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { DAY_MS } from '../time-units.ts'
import { colorOf, dashOf, TEXTURE_PX, textureOf } from './chart-marks.ts'
import { LOCALE, numberText } from './format.ts'
import { inZone, isInUtc } from './zone.ts'

export type Series = {
  name: string
  /** One per time; null where there is no value. */
  values: readonly (number | null)[]
  /** CSS variable of the palette; by default the next one. */
  color?: string
}

export type ChartOptions = {
  /** Unix time in milliseconds, ascending. */
  times: readonly number[]
  series: readonly Series[]
  /** `bars` stacks the series, for counts per step. */
  kind?: 'lines' | 'bars'
  /** Start and end in milliseconds, when the range is longer than the times. */
  range?: readonly [number, number]
  format?: (value: number) => string
  /** Called with the index of the time below the pointer. */
  onPoint?: (index: number | undefined) => void
  /** Called with the range selected by dragging, in milliseconds. */
  onSelect?: (from: number, until: number) => void
  height: number
}

/** 1, 2, 5, 10, 20, 50 and so on. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()
const SELECTED_MIN_PX = 4

/** @returns removes the chart */
export function draw(container: HTMLElement, options: ChartOptions): () => void {
  const style = getComputedStyle(container)
  const color = (name: string) => resolved(container, style.getPropertyValue(name))
  const {
    onSelect,
    onPoint,
    kind = 'lines',
    format = (value: number) => numberText(value),
  } = options
  const stacked = kind === 'bars' ? stack(options.series) : options.series
  const isWhole = options.series.every(({ values }) =>
    values.every((value) => value === null || Number.isInteger(value)),
  )
  const isForced = matchMedia('(forced-colors: active)').matches
  const line = {
    // The background is that of the system.
    stroke: isForced ? resolved(container, 'CanvasText') : color('--text-2'),
    grid: { stroke: color('--line'), width: 1 },
  }
  const plot = new uPlot(
    {
      width: Math.max(200, container.clientWidth),
      height: options.height,
      ms: 1,
      ...(isInUtc() && { tzDate: (at: number) => uPlot.tzDate(new Date(at), 'Etc/UTC') }),
      legend: { show: false },
      cursor: { drag: { x: onSelect !== undefined, y: false, setScale: false } },
      scales: {
        x: { time: true, range: rangeOf(options) },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        {
          ...line,
          ticks: { stroke: color('--line') },
          space: 64,
          values: (_plot, splits, _axis, _space, step) =>
            splits.map((at, index) => axisText(at, splits[index - 1], step)),
        },
        {
          ...line,
          ticks: { stroke: color('--line') },
          size: 64,
          // Half an order does not exist.
          ...(isWhole && { incrs: WHOLE_STEPS }),
          values: (_plot, values) => values.map(format),
        },
      ],
      series: [
        {},
        ...stacked.map(({ name, color: chosen }, index) => {
          const ink = color(colorOf(chosen, index))
          return {
            label: name,
            stroke: ink,
            width: kind === 'bars' ? 0 : 1.75,
            dash: dashOf(index),
            ...(kind === 'bars' && {
              fill: textured(ink, color('--surface'), index),
              paths: barPaths(),
            }),
            points: kind === 'bars' ? { show: false } : { size: 5, fill: ink, filter: alone },
          }
        }),
      ],
      hooks: {
        setCursor: [({ cursor }) => onPoint?.(cursor.idx ?? undefined)],
        setSelect: [
          (drawn) => {
            const { left, width } = drawn.select
            if (width < SELECTED_MIN_PX || !onSelect) return
            onSelect(drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x'))
          },
        ],
      },
    },
    [[...options.times], ...stacked.map(({ values }) => [...values])] as uPlot.AlignedData,
    container,
  )
  const resizing = new ResizeObserver(() =>
    plot.setSize({ width: Math.max(200, container.clientWidth), height: options.height }),
  )
  resizing.observe(container)
  return () => {
    resizing.disconnect()
    plot.destroy()
  }
}

/** Bars begin at their time, so the range of a chart with bars ends one step after the last. */
function rangeOf({ range, times, kind }: ChartOptions): [number, number] {
  if (range) return [...range]
  const [first = 0, second = first + DAY_MS] = times
  const last = times.at(-1) ?? first
  return [first, kind === 'bars' || last === first ? last + second - first : last]
}

function textured(ink: string, surface: string, index: number): string | CanvasPattern {
  const tile = document.createElement('canvas')
  tile.width = TEXTURE_PX
  tile.height = TEXTURE_PX
  const context = tile.getContext('2d')
  if (!context || textureOf(index).length === 0) return ink
  context.fillStyle = ink
  context.fillRect(0, 0, TEXTURE_PX, TEXTURE_PX)
  context.strokeStyle = surface
  context.beginPath()
  for (const [x1, y1, x2, y2] of textureOf(index)) {
    context.moveTo(x1, y1)
    context.lineTo(x2, y2)
  }
  context.stroke()
  return context.createPattern(tile, 'repeat') ?? ink
}

/** A value without neighbors is not part of a line, so it is drawn as a dot. */
const alone: uPlot.Series.Points.Filter = (plot, index) => {
  const values = plot.data[index] ?? []
  const hasValue = (at: number) => values[at] !== null && values[at] !== undefined
  return Array.from(values.keys()).filter(
    (at) => hasValue(at) && !hasValue(at - 1) && !hasValue(at + 1),
  )
}

/** Hours in the time zone of the page, with the date where a day begins. */
function axisText(at: number, before: number | undefined, stepMs: number): string {
  const time = new Date(at)
  const day = dayOf(time)
  if (stepMs >= DAY_MS) return day
  const hour = new Intl.DateTimeFormat(LOCALE, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...inZone(),
  }).format(time)
  return before !== undefined && dayOf(new Date(before)) === day ? hour : `${hour}\n${day}`
}

const dayOf = (time: Date): string =>
  new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', ...inZone() }).format(time)

/** Adds all following series to each one, so that bars drawn in this order appear stacked. */
function stack(series: readonly Series[]): Series[] {
  return series.map((one, index) => ({
    ...one,
    values: one.values.map((_value, at) =>
      series.slice(index).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
    ),
  }))
}

function barPaths(): uPlot.Series.PathBuilder {
  const { bars } = uPlot.paths
  if (!bars) throw new Error('uPlot was built without bars')
  return bars({ size: [0.9, 60], align: 1 })
}

/** Canvas supports neither `light-dark()` nor variables, so the browser resolves the color first. */
function resolved(container: HTMLElement, color: string): string {
  const probe = document.createElement('span')
  // Otherwise all series have the color of text where the system replaces colors.
  probe.style.forcedColorAdjust = 'none'
  probe.style.color = color
  container.append(probe)
  const text = getComputedStyle(probe).color
  probe.remove()
  return text
}
