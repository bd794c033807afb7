/** Values over time. uPlot is loaded with the first chart. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { ChartLegend } from './chart-legend.tsx'
import { timeText } from './format.ts'
import type { ChartOptions } from './plot.ts'
import { type Column, Table } from './table.tsx'
import { saveCsv } from './tables/csv.ts'
import { zoneName } from './zone.ts'

export type ChartProps = Omit<ChartOptions, 'height' | 'onPoint'> & {
  /** Text alternative. */
  label: string
  /** Unit of the vertical axis: "orders per day". */
  unit: string
  height?: number
}

const HEIGHT = 220

export function Chart({ label, unit, height = HEIGHT, ...options }: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const [theme, setTheme] = useState(0)
  const [pointed, setPointed] = useState<number>()
  // Callers create new arrays on every render; the chart is redrawn only for different numbers.
  const content = JSON.stringify([options.times, options.series, options.range, zoneName()])
  useEffect(() => onThemeChange(() => setTheme((count) => count + 1)), [])
  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    let close: (() => void) | undefined
    let isClosed = false
    void import('./plot.ts').then(({ draw }) => {
      if (!isClosed) close = draw(element, { ...options, height, onPoint: setPointed })
    })
    return () => {
      isClosed = true
      close?.()
    }
  }, [content, height, theme])
  return (
    <figure class="chart">
      <p class="chart-unit" aria-hidden="true">
        {unit}
      </p>
      <div ref={container} style={{ minHeight: `${height}px` }} aria-hidden="true" />
      <ChartLegend {...options} pointed={pointed} />
      <figcaption class="visually-hidden">{label}</figcaption>
      <ChartTable label={label} {...options} />
    </figure>
  )
}

/** The same numbers for screen readers and for copying. */
function ChartTable({ label, times, series }: Pick<ChartProps, 'label' | 'times' | 'series'>) {
  const rows = times.map((time, index) => ({ time, index }))
  const columns: Column<(typeof rows)[number]>[] = [
    { label: 'Time', cell: ({ time }) => timeText(new Date(time)) },
    ...series.map(({ name, values }) => ({
      label: name,
      isNumber: true,
      cell: ({ index }: { index: number }) => values[index],
    })),
  ]
  const save = () =>
    saveCsv(
      rows.map(({ time, index }) => ({
        time: new Date(time).toISOString(),
        ...Object.fromEntries(series.map(({ name, values }) => [name, values[index]])),
      })),
      label,
    )
  return (
    <details class="chart-table">
      <summary>Show as table</summary>
      <Button size="small" onClick={save}>
        CSV
      </Button>
      <Table label={label} rows={rows} keyOf={(row) => String(row.time)} columns={columns} />
    </details>
  )
}

function onThemeChange(onChange: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(onChange)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  system.addEventListener('change', onChange)
  return () => {
    chosen.disconnect()
    system.removeEventListener('change', onChange)
  }
}
