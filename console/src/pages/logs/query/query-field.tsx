/** The field of a log query, which completes names of fields and their values from stored logs. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type {
  DataMembers,
  FieldValues,
} from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import { useRead } from '../../../api/read.ts'
import { countText } from '../../../components/index.ts'
import { MEMBERS_PATH, type ScopedLogQuery, VALUES_PATH } from '../queries.ts'
import {
  type Completion,
  completed,
  completionAt,
  countedField,
  knownProposals,
  type Proposal,
} from './completion.ts'
import styles from './query-field.module.css'

export type QueryFieldProps = {
  value: string
  onChange: (value: string) => void
  /** Organization, mode and period in which values are counted. */
  scope: ScopedLogQuery
}

const QUERY_CHARS_MAX = 1024
const SHOWN_MAX = 8
const SETTLE_MS = 150

export function QueryField({ value, onChange, scope }: QueryFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const cursorAfter = useRef<number | undefined>(undefined)
  const [completion, setCompletion] = useState<Completion>()
  const [current, setCurrent] = useState(-1)
  const proposals = useProposals(completion, scope)
  const isOpen = completion !== undefined && proposals.length > 0
  const close = () => setCompletion(undefined)
  const open = () => {
    const { value: text = '', selectionStart } = input.current ?? {}
    setCompletion(completionAt(text, selectionStart ?? text.length))
    setCurrent(-1)
  }
  const accept = ({ text }: Proposal) => {
    if (!completion) return
    const done = completed(value, completion, text)
    cursorAfter.current = done.cursor
    onChange(done.q)
  }
  // The new text has to be in the field before the cursor can be placed in it.
  useLayoutEffect(() => {
    const cursor = cursorAfter.current
    if (cursor === undefined) return
    cursorAfter.current = undefined
    input.current?.setSelectionRange(cursor, cursor)
    open()
  }, [value])
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const proposal = proposals[current]
    if (key === 'Escape' && isOpen) close()
    else if ((key === 'Enter' || key === 'Tab') && isOpen && proposal) accept(proposal)
    else if (key === 'Enter') return close()
    else if (key === 'ArrowDown' && !isOpen) open()
    else if (key === 'ArrowDown' && isOpen) setCurrent((current + 1) % proposals.length)
    else if (key === 'ArrowUp' && isOpen)
      setCurrent((Math.max(current, 0) + proposals.length - 1) % proposals.length)
    else return
    event.preventDefault()
  }
  return (
    <div class={`field ${styles['query-field']}`}>
      <label for={id} class="field-label">
        Query
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && current >= 0 ? `${id}-${current}` : undefined}
        value={value}
        placeholder={'level:error "card reader" -test'}
        maxLength={QUERY_CHARS_MAX}
        onInput={(event) => {
          onChange(event.currentTarget.value)
          open()
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label="Completions"
        class={styles['completions']}
        hidden={!isOpen}
      >
        {isOpen &&
          proposals.map((proposal, index) => (
            <li
              key={proposal.text}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              onMouseDown={(event) => {
                // The field keeps the focus.
                event.preventDefault()
                accept(proposal)
              }}
            >
              <span>{proposal.text}</span> <span class="muted">{proposal.hint}</span>
            </li>
          ))}
      </ul>
    </div>
  )
}

function useProposals(completion: Completion | undefined, scope: ScopedLogQuery): Proposal[] {
  const field = countedField(completion)
  const contains = useSettled(completion?.typed.replace(/^"/, '') ?? '')
  const isOfMembers = completion?.typed.startsWith('data.') === true && field === undefined
  const members = useRead<DataMembers>(MEMBERS_PATH, scope, { enabled: isOfMembers })
  const query = { ...scope, field, contains, limit: SHOWN_MAX }
  const values = useRead<FieldValues>(VALUES_PATH, query, { enabled: field !== undefined })
  if (!completion) return []
  if (field === undefined) {
    const names = members.data?.members.map(({ name }) => name) ?? []
    return knownProposals(completion, names).slice(0, names.length > 0 ? 2 * SHOWN_MAX : SHOWN_MAX)
  }
  return (values.data?.values ?? [])
    .filter(({ value }) => value !== '' && value !== completion.typed)
    .map(({ value, count }) => ({ text: value, hint: countText(count, 'logs') }))
}

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(setSettled, SETTLE_MS, value)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
