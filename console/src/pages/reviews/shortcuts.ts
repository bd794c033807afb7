/** Keyboard shortcuts without modifiers, disabled while the user types. */
import { useEffect, useRef } from 'preact/hooks'
import { areShortcutsOn } from '../../shell/single-keys.ts'

export type Shortcuts = Readonly<Record<string, () => void>>

/** Keys that repeat while held down. Other actions would otherwise apply to reviews that were never seen. */
const REPEATING = new Set(['j', 'k', 'ArrowDown', 'ArrowUp'])

export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTaken(event) || !areShortcutsOn()) return
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!act) return
      event.preventDefault()
      if (!event.repeat || REPEATING.has(event.key)) act()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** Whether the key belongs to a text field, or an arrow key to another control. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]')) return true
  if (!(target instanceof Element)) return false
  if (target.closest('input, textarea, select, [contenteditable]')) return true
  return key.startsWith('Arrow') && target.closest('[role=region], pre, summary') !== null
}
