/** What is looked for: words, and values of fields. Applied when it is submitted. */
import { useEffect, useState } from 'preact/hooks'
import { Actions, Button, TextField } from '../../../components/index.ts'
import { VALUE_FILTERS, type View, type ViewName } from '../view.ts'
import styles from './explorer.module.css'

const TYPED = ['q', ...VALUE_FILTERS.map(({ name }) => name)] as const
type Typed = Record<(typeof TYPED)[number], string>

export type FilterBarProps = {
  view: View
  onChange: (changed: Partial<Record<ViewName, string>>) => void
}

export function FilterBar({ view, onChange }: FilterBarProps) {
  const given = typedOf(view)
  const [typed, setTyped] = useState<Typed>(given)
  const [isHelp, setHelp] = useState(false)
  useEffect(() => setTyped(given), [JSON.stringify(given)])
  const isFiltered = view.level !== '' || TYPED.some((name) => view[name] !== '')
  return (
    <form
      class={styles['filters']}
      role="search"
      aria-label="Logs"
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <div class={styles['words']}>
        <TextField
          label="Words of the message"
          type="search"
          value={typed.q}
          onInput={(q) => setTyped({ ...typed, q })}
          placeholder={'answer "card reader"'}
          maxLength={1024}
        />
        <Button
          aria-label="How words are found"
          aria-expanded={isHelp}
          onClick={() => setHelp(!isHelp)}
        >
          ?
        </Button>
      </div>
      {VALUE_FILTERS.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          value={typed[name]}
          onInput={(text) => setTyped({ ...typed, [name]: text })}
          maxLength={512}
          class={styles['short']}
        />
      ))}
      <Actions>
        <Button type="submit" kind="primary">
          Search
        </Button>
        {isFiltered && (
          <Button onClick={() => onChange({ ...typedOf(undefined), level: '' })}>Clear</Button>
        )}
      </Actions>
      {isHelp && <SearchHelp />}
    </form>
  )
}

function SearchHelp() {
  return (
    <ul class={styles['help']}>
      <li>All words have to be in the message, in any order, in upper or lower case.</li>
      <li>
        <code>"card reader"</code> in double quotes: these words, one directly after the other.
      </li>
      <li>
        A word is found as a whole: <code>time</code> finds neither <code>timeout</code> nor{' '}
        <code>TimeoutError</code>. Letters and digits make words, everything else parts them:{' '}
        <code>card_reader-7</code> is three.
      </li>
      <li>Messages are searched, not stacks and data. At most 32 different words.</li>
      <li>Device, category, environment and error group are compared as a whole.</li>
    </ul>
  )
}

const typedOf = (view: View | undefined): Typed =>
  Object.fromEntries(TYPED.map((name) => [name, view?.[name] ?? ''])) as Typed
