/** The series of a chart with their values in numbers, which needs no pointer. */

import { ChartKey } from './chart-key.tsx'
import { colorOf } from './chart-marks.ts'
import { numberText, timeText } from './format.ts'
import type { ChartOptions } from './plot.ts'

type Props = Pick<ChartOptions, 'times' | 'series' | 'kind' | 'format'> & {
  /** Index of the time below the pointer. */
  pointed: number | undefined
}

export function ChartLegend({
  times,
  series,
  kind = 'lines',
  format = numberText,
  pointed,
}: Props) {
  const at = pointed === undefined ? undefined : times[pointed]
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value)
  const shown = series.map(({ values }) => {
    const known = values.filter((value) => value !== null)
    return {
      total: known.reduce((sum, value) => sum + value, 0),
      highest: known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b)),
      value: pointed === undefined ? known.at(-1) : values[pointed],
    }
  })
  return (
    <table class="legend" aria-hidden="true">
      <thead>
        <tr>
          <th />
          {kind === 'bars' && <th class="number">Total</th>}
          <th class="number">Highest</th>
          <th class="number legend-time">{at === undefined ? 'Last' : timeText(new Date(at))}</th>
        </tr>
      </thead>
      <tbody>
        {series.map(({ name, color }, index) => (
          <tr key={name}>
            <th scope="row">
              <ChartKey color={`var(${colorOf(color, index)})`} index={index} kind={kind} /> {name}
            </th>
            {kind === 'bars' && <td class="number">{text(shown[index]?.total)}</td>}
            <td class="number">{text(shown[index]?.highest)}</td>
            <td class="number">{text(shown[index]?.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
