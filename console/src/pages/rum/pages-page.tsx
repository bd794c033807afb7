/** The pages that users saw: views, errors and sessions of each. */
import type { RumPage } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Empty,
  numberText,
  Page,
  percentText,
  Section,
  Shown,
  Table,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { RangeField } from '../logs/range-field.tsx'
import { RANGE, RumTabs, rangeQuery, useRumScope } from './scope.tsx'
import { Activity } from './trends.tsx'
import { vitalText } from './vitals.ts'
import { HowToSend } from './words.tsx'

const LISTED = 200

export default function PagesPage() {
  const [, setFilters] = useFilters(RANGE)
  const { scope, range } = useRumScope()
  const read = useRead<RumPage[]>(
    '/console/api/rum/pages',
    { ...scope, limit: LISTED },
    { keep: true },
  )
  return (
    <Page
      title="Pages"
      lead="Addresses without query; ids in them are *, so that all products are one page."
    >
      <RumTabs range={range} />
      <Toolbar label="Pages">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
      </Toolbar>
      <Activity query={scope} />
      <Section title="Pages" hideTitle>
        <Shown read={read} what="pages">
          {(pages) =>
            pages.length === 0 ? (
              <Empty title="No page was seen in this time">
                <HowToSend />
              </Empty>
            ) : (
              <>
                <PagesTable pages={pages} range={range} />
                {pages.length === LISTED && (
                  <p class="muted">These are the {LISTED} with the most views.</p>
                )}
              </>
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}

function PagesTable({ pages, range }: { pages: readonly RumPage[]; range: string }) {
  return (
    <Table
      label="Pages"
      rows={pages}
      keyOf={({ page }) => page}
      columns={[
        {
          label: 'Page',
          isWide: true,
          cell: ({ page }) => (
            <PageLink to="/rum/page" query={{ page, ...rangeQuery(range) }}>
              {page}
            </PageLink>
          ),
        },
        { label: 'Views', isNumber: true, cell: ({ views }) => numberText(views) },
        { label: 'Sessions', isNumber: true, cell: ({ sessions }) => numberText(sessions) },
        { label: 'Errors', isNumber: true, cell: ({ errors }) => numberText(errors) },
        {
          label: 'Errors per view',
          isNumber: true,
          cell: ({ errors, views }) => percentText(views === 0 ? null : errors / views),
        },
        {
          label: 'LCP p75',
          isNumber: true,
          cell: ({ lcp_p75 }) => (lcp_p75 === null ? '–' : vitalText('LCP', lcp_p75)),
        },
      ]}
    />
  )
}
