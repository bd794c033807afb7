import type { RumPage } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { ListSection, Page, percentText } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { HowToSend, RumPageLink } from './parts.tsx'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { Activity } from './trends.tsx'
import { vitalText } from './vitals.ts'

const LISTED = 200

export default function PagesPage() {
  const [, setFilters] = useFilters(RANGE)
  const { scope, range } = useRumScope()
  const query = { ...scope, limit: LISTED }
  const list = useRead<RumPage[]>('/console/api/rum/pages', query, { keep_previous: true })
  return (
    <Page
      title="Pages"
      lead="Page addresses without query strings. IDs in addresses are replaced by *, so that all products count as one page."
    >
      <RumTabs range={range} />
      <RangeToolbar label="Filter pages" range={range} set={setFilters} />
      <Activity query={scope} />
      <ListSection
        list={list}
        what="pages"
        columns={columnsOf(range)}
        keyOf={({ page }) => page}
        emptyTitle="No page views in this period"
        empty={<HowToSend />}
      />
      {list.data?.length === LISTED && (
        <p class="muted">Only the {LISTED} pages with the most views are listed.</p>
      )}
    </Page>
  )
}

const columnsOf = (range: string): readonly Column<RumPage>[] => [
  { label: 'Page', isWide: true, cell: ({ page }) => <RumPageLink page={page} range={range} /> },
  { label: 'Views', isNumber: true, cell: ({ views }) => views },
  { label: 'Sessions', isNumber: true, cell: ({ sessions }) => sessions },
  { label: 'Errors', isNumber: true, cell: ({ errors }) => errors },
  {
    label: 'Errors per view',
    isNumber: true,
    cell: ({ errors, views }) => percentText(views === 0 ? null : errors / views),
  },
  {
    label: 'LCP p75',
    isNumber: true,
    cell: ({ lcp_p75 }) => (lcp_p75 === null ? null : vitalText('LCP', lcp_p75)),
  },
]
