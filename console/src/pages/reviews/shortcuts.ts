/** Keyboard shortcuts without modifiers, disabled while the user types. */
import { useEffect, useRef } from 'preact/hooks'
import { areShortcutsOn, isTyping, type Shortcut, shortcutOf } from '../../shell/single-keys.ts'

export type Shortcuts = Readonly<Partial<Record<Shortcut | 'ArrowDown' | 'ArrowUp', () => void>>>

/** Keys that repeat while held down. Other actions would otherwise apply to reviews that were never seen. */
const REPEATING = new Set<string>(['next', 'previous', 'ArrowDown', 'ArrowUp'])

export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTaken(event) || !areShortcutsOn()) return
      const name = shortcutOf(event.key) ?? event.key
      const act = Object.hasOwn(latest.current, name)
        ? latest.current[name as keyof Shortcuts]
        : undefined
      if (!act) return
      event.preventDefault()
      if (!event.repeat || REPEATING.has(name)) act()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** Whether the key belongs to a text field, or an arrow key to another control. */
function isTaken(event: KeyboardEvent): boolean {
  const { target, key } = event
  if (document.querySelector('dialog[open]') || isTyping(event)) return true
  if (!(target instanceof Element)) return false
  return key.startsWith('Arrow') && target.closest('[role=region], pre, summary') !== null
}
