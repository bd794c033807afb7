/** Moves the focus to the heading of a page that was navigated to, so that it is read out and Tab continues there. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

let isArriving = false

/** Call when the path changes; the first page of a visit leaves the focus to the browser. */
export function useArrivals(path: string): void {
  const before = useRef(path)
  // Before the effects of a page, which may have everything it shows already.
  useLayoutEffect(() => {
    if (before.current !== path) isArriving = true
    before.current = path
  }, [path])
}

/** A page may show its heading only after it was read, and the person may have begun to type by then. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isArriving) return
    isArriving = false
    const { activeElement } = document
    const isBusy = activeElement?.closest('dialog, main :is(input, textarea, select)') ?? null
    if (isBusy === null) heading.current?.focus({ preventScroll: true })
  })
  return { ref: heading, tabIndex: -1 }
}
