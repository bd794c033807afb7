/** The time that the logs are from: one of the usual ranges, or from and to in the viewer's zone. */
import { useEffect, useState } from 'preact/hooks'
import { Button, SelectField, TextField } from '../../../components/index.ts'
import {
  BETWEEN,
  type Dates,
  localText,
  QUICK_RANGES,
  rangeOf,
  timeOfLocal,
} from '../time-range.ts'
import type { View, ViewName } from '../view.ts'
import styles from './explorer.module.css'

export type TimeBarProps = {
  view: Pick<View, 'range' | 'from' | 'to'>
  /** What is shown at the moment. */
  dates: Dates
  onChange: (changed: Partial<Record<ViewName, string>>) => void
}

const HOUR_MS = 3_600_000

export function TimeBar({ view, dates, onChange }: TimeBarProps) {
  const range = rangeOf(view)
  const isAbsolute = range.kind === 'absolute'
  const chosen =
    range.kind === 'relative' ? range.token : range.kind === 'received' ? 'received' : BETWEEN
  const unusual =
    QUICK_RANGES.some(({ value }) => value === chosen) || chosen === BETWEEN ? [] : [chosen]
  return (
    <>
      <SelectField
        label="Time"
        value={chosen}
        options={[
          ...QUICK_RANGES,
          ...unusual.map((value) => ({ value, label: `Last ${value}` })),
          { value: BETWEEN, label: 'Between…' },
        ]}
        onChange={(value) =>
          onChange(value === BETWEEN ? fixedOf(dates) : { range: value, from: '', to: '' })
        }
      />
      {isAbsolute && (
        <Between
          key={`${view.from} ${view.to}`}
          from={range.from}
          to={range.to}
          onChange={onChange}
        />
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

type BetweenProps = {
  from: Date | undefined
  to: Date | undefined
  onChange: TimeBarProps['onChange']
}

function Between({ from, to, onChange }: BetweenProps) {
  const [typed, setTyped] = useState({ from: textOf(from), to: textOf(to) })
  const [fault, setFault] = useState('')
  useEffect(() => setFault(''), [typed])
  const apply = () => {
    const next = { from: timeOf(typed.from, from), to: timeOf(typed.to, to) }
    if (!next.from && !next.to) setFault('Name at least one of the two times')
    else if (next.from && next.to && next.from > next.to) setFault('“To” is before “From”')
    else onChange({ from: next.from?.toISOString() ?? '', to: next.to?.toISOString() ?? '' })
  }
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <form
      class={styles['between']}
      aria-label="Time range"
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
          value={typed[name]}
          onInput={(text) => setTyped({ ...typed, [name]: text })}
        />
      ))}
      <Button type="submit">Apply times</Button>
      {fault !== '' && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  )
}

const textOf = (time: Date | undefined): string => (time ? localText(time) : '')

/** Milliseconds are not in the field: what was not touched stays as exact as it was. */
const timeOf = (text: string, before: Date | undefined): Date | undefined =>
  before && text === localText(before) ? before : timeOfLocal(text)
