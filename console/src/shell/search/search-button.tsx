/** Opens the search with a button, Ctrl-K, ⌘K or `/`, and the list of shortcuts with `?`. */
import { createPortal, lazy, Suspense } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { areShortcutsOn } from '../single-keys.ts'

const SearchDialog = lazy(() => import('./search-dialog.tsx'))
const Shortcuts = lazy(() => import('../shortcuts.tsx'))
/** These pages show shortcuts of their own. */
const WITH_OWN_HELP = /\/(?:cases|reviews)$/

export function SearchButton() {
  const [open, setOpen] = useState<'search' | 'shortcuts'>()
  const close = () => setOpen(undefined)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const wanted = wantedBy(event)
      if (wanted === undefined || document.querySelector('dialog[open]')) return
      event.preventDefault()
      setOpen(wanted)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <Button
        class="head-search"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K /"
        onClick={() => setOpen('search')}
      >
        <span aria-hidden="true">⌕</span>
        <span class="head-search-label">Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </Button>
      {/* Its heading must not be part of the page's own header. */}
      {open !== undefined &&
        createPortal(
          <Suspense fallback={null}>
            {open === 'search' ? <SearchDialog onClose={close} /> : <Shortcuts onClose={close} />}
          </Suspense>,
          document.body,
        )}
    </>
  )
}

function wantedBy(event: KeyboardEvent): 'search' | 'shortcuts' | undefined {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
  if (defaultPrevented || altKey) return undefined
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'search' : undefined
  const isTyping =
    target instanceof Element && target.closest('input, textarea, select, [contenteditable]')
  if (isTyping || !areShortcutsOn()) return undefined
  if (key === '?') return WITH_OWN_HELP.test(window.location.pathname) ? undefined : 'shortcuts'
  return key === '/' ? 'search' : undefined
}
