/** Values over time, on uPlot, which is loaded when the first chart is drawn. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { numberText, timeText } from './format.ts'
import type { ChartOptions } from './plot.ts'

export type ChartProps = Omit<ChartOptions, 'width' | 'height'> & {
  /** What the chart shows, in words. */
  label: string
  height?: number
}

const HEIGHT = 220

export function Chart({ label, height = HEIGHT, ...options }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const [theme, setTheme] = useState(0)
  // Callers make new arrays with every drawing; only other numbers are another picture.
  const picture = JSON.stringify([options.times, options.series, options.range])
  useEffect(() => onThemeChange(() => setTheme((count) => count + 1)), [])
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    let close: (() => void) | undefined
    let isGone = false
    void import('./plot.ts').then(({ draw }) => {
      if (!isGone) close = draw(element, { ...options, height })
    })
    return () => {
      isGone = true
      close?.()
    }
  }, [picture, height, theme])
  return (
    <figure class="chart">
      <div ref={place} style={{ minHeight: `${height}px` }} aria-hidden="true" />
      <figcaption class="visually-hidden">{label}</figcaption>
      <ChartTable label={label} {...options} />
    </figure>
  )
}

/** The same numbers for those who do not see the picture. */
function ChartTable({ label, times, series }: Pick<ChartProps, 'label' | 'times' | 'series'>) {
  return (
    <details class="chart-table">
      <summary>Numbers</summary>
      <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <td>{timeText(new Date(time))}</td>
                {series.map(({ name, values }) => {
                  const value = values[index]
                  return (
                    <td key={name} class="number">
                      {value === null || value === undefined ? '–' : numberText(value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function onThemeChange(tell: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(tell)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  system.addEventListener('change', tell)
  return () => {
    chosen.disconnect()
    system.removeEventListener('change', tell)
  }
}
