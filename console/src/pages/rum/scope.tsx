/** Which time the pages about real users speak of, and the way between them. */
import { useLocation } from 'wouter'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { useDates } from '../logs/range-field.tsx'

const USUAL_RANGE = '7d'
export const RANGE = { range: USUAL_RANGE }

/** What is asked of the service: organisation, mode and dates of the range in the address. */
export function useRumScope(): { scope: Record<string, string>; range: string } {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [{ range }] = useFilters(RANGE)
  const dates = useDates(range)
  return { scope: { org_id, mode, ...dates }, range }
}

/** The range goes along to other pages. */
export const rangeQuery = (range: string): Record<string, string> =>
  range === USUAL_RANGE ? {} : { range }

const TABS = [
  { to: '/rum', label: 'Web vitals' },
  { to: '/rum/pages', label: 'Pages' },
  { to: '/rum/errors', label: 'Errors' },
  { to: '/rum/sessions', label: 'Sessions' },
] as const

export function RumTabs({ range }: { range: string }) {
  const [path] = useLocation()
  return (
    <nav class="tabs" aria-label="Real users">
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
