/** Draws with uPlot. Kept apart from the component, so that it is loaded only where a chart is. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { numberText } from './format.ts'

export type Series = {
  name: string
  /** One per time; null where there is none. */
  values: readonly (number | null)[]
  /** Of the palette; by default the next one. */
  colour?: string
}

export type ChartOptions = {
  /** Unix time in milliseconds, rising. */
  times: readonly number[]
  series: readonly Series[]
  /** Series on top of each other as bars, for counts per step. */
  kind?: 'lines' | 'bars'
  /** From and until in milliseconds, when it is more than the times cover. */
  range?: readonly [number, number]
  /** How values are written. */
  format?: (value: number) => string
  /** Told what was selected by dragging, in milliseconds. */
  onSelect?: (from: number, until: number) => void
  height: number
}

const PALETTE = 6
const SELECTED_MIN_PX = 4

/** @returns how to take it away */
export function draw(place: HTMLElement, options: ChartOptions): () => void {
  const style = getComputedStyle(place)
  const colour = (name: string) => resolved(place, style.getPropertyValue(name))
  const { onSelect, kind = 'lines', format = (value: number) => numberText(value) } = options
  const stacked = kind === 'bars' ? stack(options.series) : options.series
  const line = { stroke: colour('--text-2'), grid: { stroke: colour('--line'), width: 1 } }
  const plot = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height: options.height,
      ms: 1,
      legend: { show: options.series.length > 1 || kind === 'lines', live: true },
      cursor: { drag: { x: onSelect !== undefined, y: false, setScale: false } },
      scales: {
        x: { time: true, ...(options.range && { range: [...options.range] as [number, number] }) },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        {
          ...line,
          ticks: { stroke: colour('--line') },
          space: 64,
          values: (_plot, splits, _axis, _space, step) =>
            splits.map((at, index) => axisText(at, splits[index - 1], step)),
        },
        {
          ...line,
          ticks: { stroke: colour('--line') },
          size: 56,
          values: (_plot, values) => values.map(format),
        },
      ],
      series: [
        {},
        ...stacked.map(({ name, colour: chosen }, index) => {
          const ink = colour(chosen ?? `--series-${(index % PALETTE) + 1}`)
          const own = options.series[index]?.values
          return {
            label: name,
            stroke: ink,
            width: kind === 'bars' ? 0 : 1.75,
            ...(kind === 'bars' && { fill: ink, paths: barPaths() }),
            points: kind === 'bars' ? { show: false } : { size: 5, fill: ink, filter: alone },
            value: (_plot: uPlot, _value: number, _series: number, at: number | null) => {
              const value = at === null ? undefined : own?.[at]
              return value === null || value === undefined ? '–' : format(value)
            },
          }
        }),
      ],
      hooks: {
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
    place,
  )
  const resizing = new ResizeObserver(() =>
    plot.setSize({ width: Math.max(200, place.clientWidth), height: options.height }),
  )
  resizing.observe(place)
  return () => {
    resizing.disconnect()
    plot.destroy()
  }
}

/** No line leads to a value that has none beside it: it is drawn as a dot. */
const alone: uPlot.Series.Points.Filter = (plot, index) => {
  const values = plot.data[index] ?? []
  const hasValue = (at: number) => values[at] !== null && values[at] !== undefined
  return Array.from(values.keys()).filter(
    (at) => hasValue(at) && !hasValue(at - 1) && !hasValue(at + 1),
  )
}

const DAY_MS = 86_400_000

/** Hours of the viewer's clock, with the day where one begins. */
function axisText(at: number, before: number | undefined, stepMs: number): string {
  const time = new Date(at)
  const day = dayOf(time)
  if (stepMs >= DAY_MS) return day
  const hour = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(time)
  return before !== undefined && dayOf(new Date(before)) === day ? hour : `${hour}\n${day}`
}

const dayOf = (time: Date): string =>
  new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }).format(time)

/** Each series with all after it added, so that bars drawn in this order stand on each other. */
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

/** Canvas knows neither `light-dark()` nor variables: what the browser makes of a colour. */
function resolved(place: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  place.append(probe)
  const text = getComputedStyle(probe).color
  probe.remove()
  return text
}
