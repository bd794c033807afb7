/** A list of links next to what they open, as one tab stop. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useTabStop } from './tab-stop.ts'

export function LinkList({ children }: { children: ComponentChildren }) {
  const list = useRef<HTMLOListElement>(null)
  const stop = useTabStop(() => [...(list.current?.querySelectorAll<HTMLElement>('li > a') ?? [])])
  return (
    <ol ref={list} {...stop}>
      {children}
    </ol>
  )
}
