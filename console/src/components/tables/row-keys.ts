/** Rows as one tab stop: Enter opens the link of a row, and so does a click on it. */
import { type RefObject } from 'preact'
import { CONTROLS, useTabStop } from '../tab-stop.ts'

export function useRowKeys(table: RefObject<HTMLTableElement | null>) {
  const stop = useTabStop(() => [...(table.current?.tBodies[0]?.rows ?? [])])
  return {
    ...stop,
    onKeyDown: (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      stop.onKeyDown(event)
      if (key !== 'Enter' || ctrlKey || metaKey || altKey) return
      if (!(target instanceof HTMLTableRowElement)) return
      linkOf(target)?.click()
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
