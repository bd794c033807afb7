/** Keys that do something without a modifier, as long as nobody is typing. */
import { useEffect, useRef } from 'preact/hooks'

export type Keys = Readonly<Record<string, () => void>>

/** Those that go on while they are held down; what else repeats would be done to what was not seen. */
const REPEATING = new Set(['j', 'k', 'ArrowDown', 'ArrowUp'])

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTaken(event)) return
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!act) return
      event.preventDefault()
      if (!event.repeat || REPEATING.has(event.key)) act()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** Where letters are typed, and where arrows move something else. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]')) return true
  if (!(target instanceof Element)) return false
  if (target.closest('input, textarea, select, [contenteditable]')) return true
  return key.startsWith('Arrow') && target.closest('[role=region], pre, summary') !== null
}
