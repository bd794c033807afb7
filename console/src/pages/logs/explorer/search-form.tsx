/** The query, applied when the form is submitted, and the filters of links and saved searches. */
import { useEffect, useState } from 'preact/hooks'
import type { QueryReading as Reading } from '../../../../../src/modules/edge/logs/query/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Icon } from '../../../components/icon.tsx'
import { Actions, Button } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { QUERY_PATH, type ScopedLogQuery } from '../queries.ts'
import { QueryField } from '../query/query-field.tsx'
import { VALUE_FILTERS, type View } from '../view.ts'
import styles from './explorer.module.css'

export type SearchFormProps = {
  view: View
  /** Organization, mode and period. */
  scope: ScopedLogQuery
  onChange: (changed: Partial<View>) => void
}

export function SearchForm({ view, scope, onChange }: SearchFormProps) {
  const [q, setQ] = useState(view.q)
  const [isHelp, setHelp] = useState(false)
  useEffect(() => setQ(view.q), [view.q])
  const filters = VALUE_FILTERS.filter(({ name }) => view[name] !== '')
  const isFiltered = view.level !== '' || view.q !== '' || filters.length > 0
  return (
    <form
      class={styles['filters']}
      role="search"
      aria-label="Logs"
      onSubmit={(event) => {
        event.preventDefault()
        onChange({ q })
      }}
    >
      <div class={styles['query']}>
        <QueryField value={q} onChange={setQ} scope={scope} />
        <Button aria-label="Search syntax" aria-expanded={isHelp} onClick={() => setHelp(!isHelp)}>
          ?
        </Button>
      </div>
      <Actions>
        <Button type="submit" kind="primary">
          Search
        </Button>
        {isFiltered && <Button onClick={() => onChange(NO_FILTERS)}>Clear filters</Button>}
        {filters.map(({ name, label }) => (
          <Button key={name} title="Remove this filter" onClick={() => onChange({ [name]: '' })}>
            {label}: {view[name]} <Icon sign="close" />
          </Button>
        ))}
      </Actions>
      {isHelp && <SearchHelp />}
      {view.q.trim() !== '' && <QueryReading q={view.q} />}
    </form>
  )
}

const NO_FILTERS: Partial<View> = {
  q: '',
  level: '',
  ...Object.fromEntries(VALUE_FILTERS.map(({ name }) => [name, ''])),
}

/** How the service read the query that is applied. */
function QueryReading({ q }: { q: string }) {
  const { id: org_id } = useOrg()
  const read = useRead<Reading>(QUERY_PATH, { org_id, q })
  if (read.error) return <p role="alert">{read.error.message}</p>
  if (!read.data) return null
  const { read_as, notes } = read.data
  return (
    <div class={styles['reading']}>
      <span class="muted">Read as:</span> {read_as}
      {notes.length > 0 && (
        <ul aria-label="Notes">
          {notes.map(({ start, end, text }) => (
            <li key={start}>
              <Button
                size="small"
                title="Select it in the query"
                onClick={({ currentTarget }) => selectPart(currentTarget.form, start, end)}
              >
                <code>{q.slice(start, end)}</code>
              </Button>{' '}
              {text}.
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function selectPart(form: HTMLFormElement | null, start: number, end: number): void {
  const input = form?.querySelector<HTMLInputElement>('input[role="combobox"]')
  input?.focus()
  input?.setSelectionRange(start, end)
}

const SYNTAX = [
  ['card reader', 'messages with all words, in any order; case and accents do not matter'],
  ['"card reader"', 'messages with the phrase'],
  ['print*  *head*', 'words that begin with, or contain, these letters'],
  ['-timeout  NOT timeout', 'excludes'],
  ['card OR (reader silent)', 'one or the other; upper case'],
  ['level:error  level:>=warn', 'by level'],
  [
    'device:till-*  category:payment',
    'by field: also environment, error_type, error_code, error_fingerprint, trace, tag',
  ],
  ['data.order.id:17  data.ms:>500', 'by a member of data'],
  ['data:refund  stack:pay.js', 'data or the stack contains the text'],
  [
    'time:yesterday  time:15m',
    'today, yesterday, a day (2026-03-01), or a last length of time; in UTC',
  ],
  ['has:trace_id  -has:data.ms', 'with, or without, a value'],
] as const

function SearchHelp() {
  return (
    <div class={styles['help']}>
      <dl>
        {SYNTAX.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        Only whole words match: <code>time</code> finds neither <code>timeout</code> nor{' '}
        <code>TimeoutError</code>. Any character except letters and digits separates words. Words
        are searched in messages. Text that is none of the above is read as words. A query takes up
        to 32 different words and conditions.
      </p>
    </div>
  )
}
