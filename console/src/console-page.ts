import type { ComponentType } from 'preact'

/** One page, as its area declares it in `pages.ts`. */
export type ConsolePage = {
  /** Below the organization, as a pattern: `/orders/:id`. */
  path: string
  /** Title of the window. */
  title: string
  /** Label in the menu. Pages without one are not in the menu. */
  menu?: string
  load: () => Promise<{ default: ComponentType }>
}
