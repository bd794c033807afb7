/** The period of the RUM pages, and the tabs between them. */
import { useLocation } from 'wouter'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { useDates } from '../logs/range-toolbar.tsx'

const DEFAULT_RANGE = '7d'
export const RANGE = { range: DEFAULT_RANGE }

/** Organization, mode and dates of the range in the address. */
export function useRumScope(): { scope: Record<string, string>; range: string } {
  const scope = useScope()
  const [{ range }] = useFilters(RANGE)
  const dates = useDates(range)
  return { scope: { ...scope, ...dates }, range }
}

/** Query parameters that keep the range in links. */
export const rangeQuery = (range: string): Record<string, string> =>
  range === DEFAULT_RANGE ? {} : { range }

const TABS = [
  { to: '/rum', label: 'Web vitals' },
  { to: '/rum/pages', label: 'Pages' },
  { to: '/rum/errors', label: 'Errors' },
  { to: '/rum/sessions', label: 'Sessions' },
] as const

export function RumTabs({ range }: { range: string }) {
  const [path] = useLocation()
  return (
    <nav class="tabs" aria-label="Real user monitoring">
      {TABS.map(({ to, label }) => (
        <PageLink
          key={to}
          to={to}
          query={rangeQuery(range)}
          aria-current={path === to ? 'page' : undefined}
        >
          {label}
        </PageLink>
      ))}
    </nav>
  )
}
