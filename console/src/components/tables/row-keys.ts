/** Rows as one tab stop: arrow keys move between them, Enter opens the link of a row, and so does a click on it. */
import { type RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const CONTROLS = 'a[href], button, input, select, textarea, summary'

export function useRowKeys(table: RefObject<HTMLTableElement | null>) {
  const place = useRef(0)
  const rowsOf = () => [...(table.current?.tBodies[0]?.rows ?? [])]
  const enter = (next: number, isFocused: boolean) => {
    const rows = rowsOf()
    place.current = Math.max(0, Math.min(next, rows.length - 1))
    for (const [index, row] of rows.entries()) {
      const isHere = index === place.current
      row.tabIndex = isHere ? 0 : -1
      for (const control of row.querySelectorAll<HTMLElement>(CONTROLS)) {
        control.tabIndex = isHere ? 0 : -1
      }
    }
    if (isFocused) rows[place.current]?.focus()
  }
  // Rows can come and go with every answer of the service.
  useLayoutEffect(() => enter(place.current, false))

  return {
    onFocusIn: ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest('tbody tr') : null
      const index = rowsOf().findIndex((each) => each === row)
      if (index >= 0 && index !== place.current) enter(index, false)
    },
    onKeyDown: (event: KeyboardEvent) => {
      const next = placeAfter(event.key, place.current, rowsOf().length)
      const { target } = event
      if (!(target instanceof HTMLElement) || target.closest('tbody') === null) return
      const isInRow = target.closest('input, select, textarea') !== null
      if (isInRow || event.ctrlKey || event.metaKey || event.altKey) return
      if (next !== undefined) enter(next, true)
      else if (event.key === 'Enter' && target instanceof HTMLTableRowElement)
        linkOf(target)?.click()
      else return
      event.preventDefault()
    },
    onClick: (event: MouseEvent) => {
      const { target, ctrlKey, metaKey, shiftKey } = event
      if (!(target instanceof Element) || target.closest(`${CONTROLS}, label`) !== null) return
      // Text of the row can be selected.
      if (window.getSelection()?.isCollapsed === false) return
      const row = target.closest<HTMLTableRowElement>('tbody tr')
      const copy = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }
      if (row) linkOf(row)?.dispatchEvent(new MouseEvent('click', copy))
    },
  }
}

const linkOf = (row: HTMLTableRowElement) => row.querySelector<HTMLElement>('td a[href]')

function placeAfter(key: string, place: number, count: number): number | undefined {
  if (key === 'ArrowDown') return place + 1
  if (key === 'ArrowUp') return place - 1
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}
