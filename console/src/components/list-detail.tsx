/** A list and the details of one of its items: side by side, or each alone in narrow windows. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { PageLink } from '../shell/links.tsx'
import { ONE_COLUMN, useMedia } from '../shell/media.ts'
import { Icon } from './icon.tsx'

type Props = {
  /** The item that the address names; empty while none is. */
  open: string
  /** Page of the list, without an item. */
  back: { to: string; query: Record<string, string>; label: string }
  class?: string | undefined
  /** The list. */
  side: ComponentChildren
  /** The details. */
  children: ComponentChildren
}

export const useIsOneColumn = (): boolean => useMedia(ONE_COLUMN)

export function ListDetail({ open, back, class: name = '', side, children }: Props) {
  const isOneColumn = useIsOneColumn()
  const isAlone = isOneColumn && open !== ''
  const backLink = useRef<HTMLDivElement>(null)
  useListPlace(isOneColumn, open, backLink)
  return (
    <div class={name}>
      {/* It stays in the document, with its focus and the rows that were loaded. */}
      <div class="list-side" hidden={isAlone}>
        {side}
      </div>
      {isAlone && (
        <div ref={backLink} class="list-back">
          <PageLink to={back.to} query={back.query} class="page-up">
            <Icon sign="back" /> {back.label}
          </PageLink>
        </div>
      )}
      {(!isOneColumn || isAlone) && children}
    </div>
  )
}

/** Opening an item begins at its top, and going back returns to the place in the list. */
function useListPlace(
  isOneColumn: boolean,
  open: string,
  backLink: { current: HTMLElement | null },
): void {
  const before = useRef(open)
  const place = useRef({ top: 0, focused: null as Element | null })
  useEffect(() => {
    if (!isOneColumn || open !== '') return
    // When an item opens, the page around the list changes first, and with it the scroll position.
    const onScroll = () => {
      if (before.current === '') place.current.top = window.scrollY
    }
    const onFocus = ({ target }: FocusEvent) => {
      if (before.current === '' && target instanceof Element) place.current.focused = target
    }
    // The browser may have scrolled before this effect.
    onScroll()
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('focusin', onFocus)
    return () => {
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('focusin', onFocus)
    }
  }, [isOneColumn, open])
  useLayoutEffect(() => {
    const was = before.current
    before.current = open
    if (!isOneColumn || was === open) return
    if (open === '') {
      window.scrollTo(0, place.current.top)
      const { focused } = place.current
      if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
      return
    }
    window.scrollTo(0, 0)
    if (was === '') backLink.current?.querySelector('a')?.focus({ preventScroll: true })
  }, [open, isOneColumn])
}
