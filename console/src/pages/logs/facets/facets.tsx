/** Fields of the found logs with their most frequent values. A click edits the query. */
import { useState } from 'preact/hooks'
import type {
  DataMembers,
  FieldValues,
} from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Icon } from '../../../components/icon.tsx'
import { Button, numberText, SelectField } from '../../../components/index.ts'
import { MEMBERS_PATH, type ScopedLogQuery, VALUES_PATH } from '../queries.ts'
import { conditionOn, negated, stateOf, toggled } from '../query/query-text.ts'
import styles from './facets.module.css'

export type FacetsProps = { query: ScopedLogQuery; onQuery: (q: string) => void }

const FIELDS = [
  ['level', 'Level'],
  ['device_id', 'Device'],
  ['category', 'Category'],
  ['environment', 'Environment'],
  ['error_type', 'Error type'],
] as const
const SHOWN = 8
const SHOWN_ALL = 100
const WIDE = '(width >= 64rem)'

export function Facets({ query, onQuery }: FacetsProps) {
  const [isOpen, setOpen] = useState(() => window.matchMedia(WIDE).matches)
  const [added, setAdded] = useState<readonly string[]>([])
  return (
    <details
      class={styles['facets']}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Fields</summary>
      {isOpen && (
        <>
          {FIELDS.map(([field, label]) => (
            <Facet key={field} {...{ query, onQuery, field, label }} />
          ))}
          {added.map((field) => (
            <Facet key={field} {...{ query, onQuery, field }} label={field} />
          ))}
          <MoreFields
            query={query}
            added={added}
            onAdd={(field) => setAdded((before) => [...before, field])}
          />
        </>
      )}
    </details>
  )
}

type FacetProps = FacetsProps & { field: string; label: string }

function Facet({ query, onQuery, field, label }: FacetProps) {
  const [limit, setLimit] = useState(SHOWN)
  const wanted = { ...query, field, limit }
  const read = useRead<FieldValues>(VALUES_PATH, wanted, { keep_previous: true })
  if (read.error) return <p class="muted">{label} could not be counted.</p>
  const { values = [], distinct = 0 } = read.data ?? {}
  if (read.data && values.every(({ value }) => value === '')) return null
  const max = Math.max(1, ...values.map(({ count }) => count))
  return (
    <section class={styles['facet']} aria-label={label} data-loading={!read.data}>
      <h2>{label}</h2>
      <ul>
        {values.map(({ value, count }) => (
          <FacetValue
            key={value}
            {...{ value, count, max }}
            label={label}
            q={query.q ?? ''}
            condition={conditionOn(field, value)}
            onQuery={onQuery}
          />
        ))}
      </ul>
      {distinct > values.length && limit < SHOWN_ALL && (
        <Button size="small" kind="quiet" onClick={() => setLimit(SHOWN_ALL)}>
          {numberText(Math.min(distinct, SHOWN_ALL) - values.length)} more
        </Button>
      )}
    </section>
  )
}

type FacetValueProps = {
  value: string
  count: number
  max: number
  label: string
  q: string
  condition: string
  onQuery: (q: string) => void
}

function FacetValue({ value, count, max, label, q, condition, onQuery }: FacetValueProps) {
  const state = stateOf(q, condition)
  const name = value === '' ? '(none)' : value
  return (
    <li>
      <button
        type="button"
        class={styles['value']}
        aria-pressed={state === 'included'}
        aria-label={`${label} ${name}, ${numberText(count)}`}
        title={name}
        onClick={() => onQuery(toggled(q, condition))}
      >
        <span class={styles['fill']} style={{ width: `${(100 * count) / max}%` }} />
        <span class={styles['name']}>{name}</span>
        <span class={styles['count']}>{numberText(count, { short: true })}</span>
      </button>
      <button
        type="button"
        class={styles['exclude']}
        aria-label={`Exclude ${label} ${name}`}
        title="Exclude"
        onClick={() => onQuery(toggled(q, negated(condition)))}
      >
        <Icon sign="minus" />
      </button>
    </li>
  )
}

type MoreFieldsProps = {
  query: ScopedLogQuery
  added: readonly string[]
  onAdd: (field: string) => void
}

/** The fields that few logs have, and the members of data. */
function MoreFields({ query, added, onAdd }: MoreFieldsProps) {
  const { data } = useRead<DataMembers>(MEMBERS_PATH, query, { keep_previous: true })
  const names = ['tags', 'error_code', 'trace_id', ...(data?.members ?? []).map(({ name }) => name)]
  const options = names.filter((name) => !added.includes(name))
  return (
    <SelectField
      label="More fields"
      value=""
      options={[{ value: '', label: 'Select a field…' }, ...options]}
      onChange={(field) => field !== '' && onAdd(field)}
    />
  )
}
