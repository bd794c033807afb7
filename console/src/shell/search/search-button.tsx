/** Opens the search: with a button, Ctrl-K, ⌘K or `/`. */
import { createPortal, lazy, Suspense } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'

const SearchDialog = lazy(() => import('./search-dialog.tsx'))

export function SearchButton() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isAsked(event) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      setOpen(true)
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
        onClick={() => setOpen(true)}
      >
        <span aria-hidden="true">⌕</span>
        <span class="head-search-label">Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </Button>
      {/* Its heading must not be part of the page's own header. */}
      {isOpen &&
        createPortal(
          <Suspense fallback={null}>
            <SearchDialog onClose={() => setOpen(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  )
}

function isAsked({ key, ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent) {
  if (defaultPrevented || altKey) return false
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k'
  const isTyping =
    target instanceof Element && target.closest('input, textarea, select, [contenteditable]')
  return key === '/' && !isTyping
}
