/** The period of the logs: a quick range, or a start and an end in the viewer's time zone. */
import { useEffect, useState } from 'preact/hooks'
import { Button, SelectField, TextField } from '../../../components/index.ts'
import { zoneName } from '../../../components/zone.ts'
import { HOUR_MS } from '../../../time-units.ts'
import { CUSTOM, type Dates, localText, QUICK_RANGES, rangeOf, timeOfLocal } from '../time-range.ts'
import type { View, ViewName } from '../view.ts'
import styles from './explorer.module.css'

const IN_QUERY = 'As in the query'

export type TimeBarProps = {
  view: Pick<View, 'range' | 'from' | 'to' | 'q'>
  /** The bounds that are shown at the moment. */
  dates: Dates
  onChange: (changed: Partial<Record<ViewName, string>>) => void
}

export function TimeBar({ view, dates, onChange }: TimeBarProps) {
  const range = rangeOf(view)
  const selected = 'token' in range ? range.token : range.kind === 'absolute' ? CUSTOM : range.kind
  const isListed = selected === CUSTOM || QUICK_RANGES.some(({ value }) => value === selected)
  const named = range.kind === 'query' ? IN_QUERY : `Last ${selected}`
  return (
    <>
      <SelectField
        label="Period"
        value={selected}
        options={[
          ...(range.kind === 'query' ? [] : QUICK_RANGES),
          ...(isListed ? [] : [{ value: selected, label: named }]),
          { value: CUSTOM, label: 'Custom…' },
        ]}
        onChange={(value) =>
          onChange(value === CUSTOM ? fixedOf(dates) : { range: value, from: '', to: '' })
        }
      />
      {range.kind === 'absolute' && (
        <CustomRange key={`${view.from} ${view.to}`} {...range} onChange={onChange} />
      )}
    </>
  )
}

function fixedOf({ start_date, end_date }: Dates): { from: string; to: string } {
  const now = Date.now()
  return {
    from: start_date ?? new Date(now - HOUR_MS).toISOString(),
    to: end_date ?? new Date(now).toISOString(),
  }
}

type CustomRangeProps = Pick<TimeBarProps, 'onChange'> & Record<'from' | 'to', Date | undefined>

function CustomRange({ from, to, onChange }: CustomRangeProps) {
  const [values, setValues] = useState({ from: textOf(from), to: textOf(to) })
  const [fault, setFault] = useState('')
  useEffect(() => setFault(''), [values])
  const apply = () => {
    const next = { from: timeOf(values.from, from), to: timeOf(values.to, to) }
    if (!next.from && !next.to) setFault('Enter a start or an end time')
    else if (next.from && next.to && next.from > next.to) setFault('“To” must be after “From”')
    else onChange({ from: next.from?.toISOString() ?? '', to: next.to?.toISOString() ?? '' })
  }
  const zone = zoneName()
  return (
    <form
      class={styles['custom']}
      aria-label="Custom period"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={name === 'from' ? `From (${zone})` : `To (${zone})`}
          type="datetime-local"
          step={1}
          value={values[name]}
          onChange={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <Button type="submit">Apply</Button>
      {fault !== '' && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}

const textOf = (time: Date | undefined): string => (time ? localText(time) : '')

/** The field has no milliseconds. A time that was not edited keeps them. */
const timeOf = (text: string, before: Date | undefined): Date | undefined =>
  before && text === localText(before) ? before : timeOfLocal(text)
