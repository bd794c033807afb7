/** The search over everything, as a combobox with a list of options (WAI-ARIA). */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { useGo } from '../links.tsx'
import { useMe, useScope } from '../organization.ts'
import type { Entry } from './entries.ts'
import { rememberEntry } from './recent.ts'
import styles from './search.module.css'
import { type Group, type Search, useSearchFor } from './use-search.ts'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Keys that a person pressed before the dialog was loaded. */
export type EarlyKeys = { text: string; isEntered: boolean }
type Props = { takeEarly: () => EarlyKeys | undefined; onClose: () => void }

export default function SearchDialog({ takeEarly, onClose }: Props) {
  const [early] = useState(takeEarly)
  const [text, setText] = useState(early?.text ?? '')
  const [place, setPlace] = useState(0)
  /** Enter was pressed before the service answered. */
  const [isEntered, setEntered] = useState(early?.isEntered ?? false)
  const search = useSearchFor(text)
  const scope = useScope()
  const { user_id } = useMe()
  const go = useGo()
  const id = useId()
  const entries = search.groups.flatMap((group) => group.entries)
  const current = Math.min(place, entries.length - 1)

  const open = (entry: Entry) => {
    rememberEntry({ user_id, ...scope }, entry)
    onClose()
    const [path = '/', query = ''] = entry.link.split('?')
    go(path, Object.fromEntries(new URLSearchParams(query)))
  }
  useEffect(() => {
    if (!isEntered || search.isSearching) return
    setEntered(false)
    const [first] = entries
    if (first && text !== '' && search.error === null) open(first)
  }, [isEntered, search.isSearching])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const entry = entries[current]
    if (step !== undefined && entries.length > 0) {
      setEntered(false)
      setPlace((current + step + entries.length) % entries.length)
    } else if (event.key === 'Enter' && !event.isComposing && entry) {
      // The first hit is not known yet; an entry that was chosen with the arrow keys is.
      if (search.isSearching && current === 0) setEntered(true)
      else open(entry)
    } else return
    event.preventDefault()
  }

  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        class={styles['text'] ?? ''}
        aria-label="Search everything"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(current >= 0 && { 'aria-activedescendant': `${id}-${current}` })}
        placeholder="Order, e-mail, phone, device, serial number, delivery, page…"
        autocomplete="off"
        spellcheck={false}
        // The dialog has no other first field.
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setPlace(0)
          setEntered(false)
        }}
        onKeyDown={onKeyDown}
      />
      <Options groups={search.groups} current={current} id={id} onOpen={open} onPoint={setPlace} />
      <Status {...{ search, text, isEntered }} count={entries.length} />
      <p class={styles['keys'] ?? ''} aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Enter</kbd> open · <kbd>Esc</kbd> close
      </p>
    </Dialog>
  )
}

type OptionsProps = {
  groups: readonly Group[]
  current: number
  id: string
  onOpen: (entry: Entry) => void
  onPoint: (place: number) => void
}

function Options({ groups, current, id, onOpen, onPoint }: OptionsProps) {
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    shown.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  let place = -1
  return (
    <div ref={shown} id={`${id}-list`} role="listbox" aria-label="Found" class={styles['list']}>
      {groups.map(({ name, entries }) => (
        <div key={name} role="group" aria-label={name}>
          <h3 aria-hidden="true">{name}</h3>
          {entries.map((entry) => {
            place += 1
            const own = place
            return (
              <div
                key={`${entry.link} ${entry.name}`}
                id={`${id}-${own}`}
                role="option"
                aria-selected={own === current}
                class={styles['option']}
                onClick={() => onOpen(entry)}
                onPointerMove={() => onPoint(own)}
              >
                <span class={styles['name']}>{entry.name}</span>
                {entry.remark !== null && <span class={styles['remark']}>{entry.remark}</span>}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

type StatusProps = { search: Search; count: number; text: string; isEntered: boolean }

function Status({ search, count, text, isEntered }: StatusProps) {
  const { isSearching, error, incomplete } = search
  const words =
    error?.message ??
    (isSearching
      ? `Searching…${isEntered ? ' The first hit will open.' : ''}`
      : text === ''
        ? 'Parts of numbers and names are enough.'
        : `${count} found${incomplete.length > 0 ? `; not searched to the end: ${incomplete.join(', ')}` : ''}`)
  return (
    <p class="muted" role="status">
      {words}
    </p>
  )
}
