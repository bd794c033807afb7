/** The time that a page is about, where it only ever looks back from now. */
import { useMemo } from 'preact/hooks'
import { SelectField } from '../../components/index.ts'
import { type Dates, datesOf, QUICK_RANGES, rangeOf } from './time-range.ts'

const RANGES = QUICK_RANGES.filter(({ value }) => !['5m', '15m'].includes(value))

export function RangeField({
  range,
  onChange,
}: {
  range: string
  onChange: (range: string) => void
}) {
  const known = RANGES.some(({ value }) => value === range)
  return (
    <SelectField
      label="Time"
      value={range}
      options={known ? RANGES : [...RANGES, { value: range, label: `Last ${range}` }]}
      onChange={onChange}
    />
  )
}

/** Stays the same until the range changes, so that what was read stays read. */
export function useDates(range: string): Dates {
  return useMemo(() => datesOf(rangeOf({ range, from: '', to: '' }), new Date()), [range])
}
