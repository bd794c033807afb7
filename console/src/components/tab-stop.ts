/** Items as one tab stop: arrow keys, Home and End move between them, and Tab leaves. */
import { useLayoutEffect, useRef } from 'preact/hooks'

export const CONTROLS = 'a[href], button, input, select, textarea, summary'

type Options = {
  /** Next to each other, as tabs are. */
  isRow?: boolean
}

/** @param itemsOf the items in their order, which can take the focus */
export function useTabStop(itemsOf: () => readonly HTMLElement[], { isRow = false }: Options = {}) {
  const place = useRef(0)
  const enter = (next: number, isFocused: boolean) => {
    const items = itemsOf()
    place.current = Math.max(0, Math.min(next, items.length - 1))
    for (const [index, item] of items.entries()) {
      const tabIndex = index === place.current ? 0 : -1
      item.tabIndex = tabIndex
      for (const control of item.querySelectorAll<HTMLElement>(CONTROLS)) {
        control.tabIndex = tabIndex
      }
    }
    if (isFocused) items[place.current]?.focus()
  }
  // Items can come and go with every answer of the service.
  useLayoutEffect(() => {
    const items = itemsOf()
    const isInside = items.some((item) => item.contains(document.activeElement))
    const open = items.findIndex((item) => item.hasAttribute('aria-current'))
    enter(isInside || open < 0 ? place.current : open, false)
  })
  const indexOf = (target: EventTarget | null) =>
    target instanceof Node ? itemsOf().findIndex((item) => item.contains(target)) : -1

  return {
    onFocusIn: ({ target }: FocusEvent) => {
      const index = indexOf(target)
      if (index >= 0 && index !== place.current) enter(index, false)
    },
    onKeyDown: (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event
      const next = placeAfter(key, { place: place.current, count: itemsOf().length, isRow })
      if (next === undefined || ctrlKey || metaKey || altKey || shiftKey) return
      if (indexOf(target) < 0 || isField(target)) return
      enter(next, true)
      event.preventDefault()
    },
  }
}

/** Arrow keys and Enter have a meaning of their own there. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea') !== null

type Place = { place: number; count: number; isRow: boolean }

function placeAfter(key: string, { place, count, isRow }: Place): number | undefined {
  if (key === (isRow ? 'ArrowRight' : 'ArrowDown')) return place + 1
  if (key === (isRow ? 'ArrowLeft' : 'ArrowUp')) return place - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}
