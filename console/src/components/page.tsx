import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useHeadingFocus } from '../shell/arrival.ts'
import { PageLink } from '../shell/links.tsx'
import { useTitle } from '../shell/title.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export type PageProps = {
  title: string
  /** One line below the title: a description, or the state of the subject. */
  lead?: ComponentChildren
  /** The page that this one belongs to. */
  up?: { to: string; label: string }
  /** Buttons to the right of the title. */
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Page({ title, lead, up, actions, children }: PageProps) {
  useTitle(title)
  const heading = useHeadingFocus()
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {up && (
            <PageLink to={up.to} class="page-up">
              <Icon sign="back" /> <span class="visually-hidden">Back to </span>
              {up.label}
            </PageLink>
          )}
          <h1 {...heading}>{title}</h1>
          {lead !== undefined && lead !== null && lead !== '' && (
            <div class="page-lead">{lead}</div>
          )}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export type SectionProps = {
  title: string
  /** Shows the heading to screen readers only. */
  hideTitle?: boolean
  actions?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A surface with a heading. */
export function Section(props: SectionProps) {
  const { title, hideTitle = false, actions, class: extra, children } = props
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

/** Sections side by side where there is room. With `wide` the first one takes two thirds. */
export const Columns = (props: { wide?: boolean; children: ComponentChildren }) => (
  <div class={props.wide ? 'columns columns-wide' : 'columns'}>{props.children}</div>
)

type ToolbarProps = {
  label: string
  class?: string
  /** Number of filters that are set. In narrow windows, fields are then behind a button. */
  count?: number
  children: ComponentChildren
}

/** Filters above a list. */
export function Toolbar({ label, class: extra = '', count, children }: ToolbarProps) {
  const [isOpen, setOpen] = useState(false)
  const folds = count === undefined ? '' : isOpen ? 'folds folds-open' : 'folds'
  return (
    <div class={`toolbar ${folds} ${extra}`} role="search" aria-label={label}>
      {count !== undefined && (
        <Button class="folds-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      )}
      {children}
    </div>
  )
}
