/** The period of a page that only looks back from now. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { SelectField, Toolbar } from '../../components/index.ts'
import { type Dates, datesOf, QUICK_RANGES, rangeOf } from './time-range.ts'

const RANGES = QUICK_RANGES.filter(({ value }) => !['5m', '15m'].includes(value))

type RangeToolbarProps = {
  label: string
  range: string
  set: (changed: { range: string }) => void
  /** Further filters. */
  children?: ComponentChildren
}

export function RangeToolbar({ label, range, set, children }: RangeToolbarProps) {
  const isListed = RANGES.some(({ value }) => value === range)
  return (
    <Toolbar label={label}>
      <SelectField
        label="Period"
        value={range}
        options={isListed ? RANGES : [...RANGES, { value: range, label: `Last ${range}` }]}
        onChange={(next) => set({ range: next })}
      />
      {children}
    </Toolbar>
  )
}

/** Changes only with the range, so that loaded data stays in the cache. */
export function useDates(range: string): Dates {
  return useMemo(() => datesOf(rangeOf({ range, from: '', to: '' }), new Date()), [range])
}
