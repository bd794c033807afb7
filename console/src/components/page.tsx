/** The frame of every page. */
import type { ComponentChildren } from 'preact'
import { PageLink } from '../shell/links.tsx'
import { useTitle } from '../shell/title.ts'

export type PageProps = {
  title: string
  /** One line below the title: what this is, or the state of the thing. */
  lead?: ComponentChildren
  /** Where this page belongs, as the way back. */
  up?: { to: string; label: string }
  /** Buttons at the right of the title. */
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Page({ title, lead, up, actions, children }: PageProps) {
  useTitle(title)
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {up && (
            <PageLink to={up.to} class="page-up">
              ← {up.label}
            </PageLink>
          )}
          <h1>{title}</h1>
          {lead !== undefined && <div class="page-lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export type SectionProps = {
  title: string
  /** The heading is there for screen readers only. */
  hideTitle?: boolean
  actions?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A surface with a heading. */
export function Section({
  title,
  hideTitle = false,
  actions,
  class: extra,
  children,
}: SectionProps) {
  return (
    <section class={extra === undefined ? 'section' : `section ${extra}`}>
      <header class={hideTitle ? 'visually-hidden' : 'section-head'}>
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}

/** Sections side by side where there is room. `wide` lets the first one take two thirds. */
export function Columns({
  wide = false,
  children,
}: {
  wide?: boolean
  children: ComponentChildren
}) {
  return <div class={wide ? 'columns columns-wide' : 'columns'}>{children}</div>
}

/** Filters above a list. */
export function Toolbar({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="toolbar" role="search" aria-label={label}>
      {children}
    </div>
  )
}
