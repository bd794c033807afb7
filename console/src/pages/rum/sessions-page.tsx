import type { RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { Button, ListSection, Page } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { HowToSend, PageFilter } from './parts.tsx'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { sessionColumns } from './session-columns.tsx'

const LISTED = 50
const LISTED_MAX = 200

export default function SessionsPage() {
  const [{ page, limit }, setFilters] = useFilters({ ...RANGE, page: '', limit: String(LISTED) })
  const { scope, range } = useRumScope()
  const listed = limit === String(LISTED_MAX) ? LISTED_MAX : LISTED
  const query = { ...scope, page, limit: listed }
  const list = useRead<RumSession[]>('/console/api/rum/sessions', query, { keep_previous: true })
  const count = list.data?.length
  return (
    <Page title="Sessions" lead="Most recently active first">
      <RumTabs range={range} />
      <RangeToolbar label="Filter sessions" range={range} set={setFilters}>
        <PageFilter page={page} onClear={() => setFilters({ page: '' })} />
      </RangeToolbar>
      <ListSection
        list={list}
        what="sessions"
        columns={sessionColumns(range)}
        keyOf={({ session_id }) => session_id}
        emptyTitle="No sessions in this period"
        empty={<HowToSend />}
      />
      {count === LISTED && (
        <div class="more">
          <span class="muted">{count} sessions so far</span>
          <Button onClick={() => setFilters({ limit: String(LISTED_MAX) })}>
            Show {LISTED_MAX}
          </Button>
        </div>
      )}
      {count === LISTED_MAX && (
        <p class="muted">
          Only the latest {LISTED_MAX} sessions are listed. Select a shorter period.
        </p>
      )}
    </Page>
  )
}
