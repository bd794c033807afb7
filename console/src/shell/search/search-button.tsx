/** Opens the search with a button, Ctrl-K, ⌘K or a single key, and the list of shortcuts. */
import { createPortal, lazy, Suspense } from 'preact/compat'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { isTyping, readKeys, shortcutOf } from '../single-keys.ts'
import type { EarlyKeys } from './search-dialog.tsx'

const SearchDialog = lazy(() => import('./search-dialog.tsx'))
const Shortcuts = lazy(() => import('../shortcuts.tsx'))

export function SearchButton() {
  const [open, setOpen] = useState<'search' | 'shortcuts'>()
  const close = () => setOpen(undefined)
  /** Keys that were pressed while the dialog was loaded. */
  const early = useRef<EarlyKeys | undefined>(undefined)
  const start = (wanted: 'search' | 'shortcuts') => {
    if (wanted === 'search') early.current = { text: '', isEntered: false }
    setOpen(wanted)
  }
  const takeEarly = () => {
    const taken = early.current
    early.current = undefined
    return taken
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (early.current) {
        const next = afterKey(early.current, event)
        if (next === undefined) return
        event.preventDefault()
        early.current = next
        if (event.key === 'Escape') close()
        return
      }
      const wanted = wantedBy(event)
      if (wanted === undefined || document.querySelector('dialog[open]')) return
      event.preventDefault()
      start(wanted)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  useEffect(() => {
    if (open !== 'search') takeEarly()
  }, [open])
  return (
    <>
      <Button
        class="head-search"
        aria-haspopup="dialog"
        aria-keyshortcuts={`Control+K ${readKeys().search}`}
        onClick={() => start('search')}
      >
        <Icon sign="search" />
        <span class="head-search-label">Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </Button>
      {/* Its heading must not be part of the page's own header. */}
      {open !== undefined &&
        createPortal(
          <Suspense fallback={null}>
            {open === 'search' ? (
              <SearchDialog takeEarly={takeEarly} onClose={close} />
            ) : (
              <Shortcuts onClose={close} />
            )}
          </Suspense>,
          document.body,
        )}
    </>
  )
}

function wantedBy(event: KeyboardEvent): 'search' | 'shortcuts' | undefined {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (defaultPrevented || altKey) return undefined
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'search' : undefined
  const shortcut = isTyping(event) ? undefined : shortcutOf(key)
  if (shortcut === 'help') return 'shortcuts'
  return shortcut === 'search' ? 'search' : undefined
}

/** @returns undefined for a key that writes nothing */
function afterKey(before: EarlyKeys, event: KeyboardEvent): EarlyKeys | undefined {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key === 'Enter') return { ...before, isEntered: true }
  if (key === 'Backspace') return { text: before.text.slice(0, -1), isEntered: false }
  if (key === 'Escape') return { text: '', isEntered: false }
  if (key.length > 1 || ctrlKey || metaKey || altKey) return undefined
  return { text: before.text + key, isEntered: false }
}
