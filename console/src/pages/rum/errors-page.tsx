import type { RumError } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { ListSection, Page } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { errorColumns } from './error-columns.tsx'
import { PageFilter } from './parts.tsx'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { Activity } from './trends.tsx'

const LISTED = 200

export default function ErrorsPage() {
  const [{ page }, setFilters] = useFilters({ ...RANGE, page: '' })
  const { scope, range } = useRumScope()
  const query = { ...scope, page, limit: LISTED }
  const list = useRead<RumError[]>('/console/api/rum/errors', query, { keep_previous: true })
  return (
    <Page title="Browser errors" lead="Errors in browsers, grouped by cause, most frequent first">
      <RumTabs range={range} />
      <RangeToolbar label="Filter errors" range={range} set={setFilters}>
        <PageFilter page={page} onClear={() => setFilters({ page: '' })} />
      </RangeToolbar>
      <Activity query={{ ...scope, page }} />
      <ListSection
        list={list}
        what="errors"
        columns={errorColumns(range)}
        keyOf={({ fingerprint }) => fingerprint}
        emptyTitle="No errors in this period"
        empty={<p>Select a longer period to see older errors.</p>}
      />
      {list.data?.length === LISTED && (
        <p class="muted">Only the {LISTED} most frequent errors are listed.</p>
      )}
    </Page>
  )
}
