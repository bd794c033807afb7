import type { ComponentChildren } from 'preact'
import type { Readable } from '../api/lists.ts'
import { capitalized } from './format.ts'
import { Page, type PageProps } from './page.tsx'
import { Loaded } from './states.tsx'

export type DetailPageProps<T> = {
  read: Readable<T>
  /** In lower case: "order". It is the title until the order is known. */
  what: string
  title: (found: T) => string
  up: NonNullable<PageProps['up']>
  lead?: (found: T) => ComponentChildren
  actions?: (found: T) => ComponentChildren
  /** Above the content, whether it is loaded or not. */
  toolbar?: ComponentChildren
  children: (found: T) => ComponentChildren
}

/** A page about one thing, with its loading and error states. */
export function DetailPage<T>(props: DetailPageProps<T>) {
  const { read, what, title, up, lead, actions, toolbar, children } = props
  const found = read.data
  return (
    <Page
      title={found === undefined ? capitalized(what) : title(found)}
      up={up}
      {...(found !== undefined && { lead: lead?.(found), actions: actions?.(found) })}
    >
      {toolbar}
      <Loaded read={read} what={`the ${what}`}>
        {children}
      </Loaded>
    </Page>
  )
}
