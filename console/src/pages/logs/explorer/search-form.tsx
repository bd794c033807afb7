/** Search terms and field values, applied when the form is submitted. */
import { useEffect, useState } from 'preact/hooks'
import { Actions, Button, TextField, useFields } from '../../../components/index.ts'
import { VALUE_FILTERS, type View } from '../view.ts'
import styles from './explorer.module.css'

const NAMES = ['q', ...VALUE_FILTERS.map(({ name }) => name)] as const
type Values = Record<(typeof NAMES)[number], string>

export type SearchFormProps = { view: View; onChange: (changed: Partial<View>) => void }

export function SearchForm({ view, onChange }: SearchFormProps) {
  const applied = valuesOf(view)
  const { values, set, field } = useFields(applied)
  const [isHelp, setHelp] = useState(false)
  useEffect(() => set(applied), [JSON.stringify(applied)])
  const isFiltered = view.level !== '' || NAMES.some((name) => view[name] !== '')
  return (
    <form
      class={styles['filters']}
      role="search"
      aria-label="Logs"
      onSubmit={(event) => {
        event.preventDefault()
        onChange(values)
      }}
    >
      <div class={styles['query']}>
        <TextField
          label="Message contains"
          type="search"
          {...field('q')}
          placeholder={'declined "card reader"'}
          maxLength={1024}
        />
        <Button aria-label="Search syntax" aria-expanded={isHelp} onClick={() => setHelp(!isHelp)}>
          ?
        </Button>
      </div>
      {VALUE_FILTERS.map(({ name, label }) => (
        <TextField key={name} label={label} {...field(name)} maxLength={512} />
      ))}
      <Actions>
        <Button type="submit" kind="primary">
          Search
        </Button>
        {isFiltered && (
          <Button onClick={() => onChange({ ...valuesOf(undefined), level: '' })}>
            Clear filters
          </Button>
        )}
      </Actions>
      {isHelp && <SearchHelp />}
    </form>
  )
}

function SearchHelp() {
  return (
    <ul class={styles['help']}>
      <li>A message must contain all words, in any order. Case does not matter.</li>
      <li>
        Double quotes find a phrase: <code>"card reader"</code>.
      </li>
      <li>
        Only whole words match: <code>time</code> finds neither <code>timeout</code> nor{' '}
        <code>TimeoutError</code>. Any character except letters and digits separates words:{' '}
        <code>card_reader-7</code> is three words.
      </li>
      <li>
        The search covers messages, not stack traces or data. It takes up to 32 different words.
      </li>
      <li>Device, category, environment and error group must match exactly.</li>
    </ul>
  )
}

const valuesOf = (view: View | undefined): Values =>
  Object.fromEntries(NAMES.map((name) => [name, view?.[name] ?? ''])) as Values
