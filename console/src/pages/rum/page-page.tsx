import type { RumError, RumSession, RumVitals } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { ListSection, Loaded, Page, Section } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { errorColumns } from './error-columns.tsx'
import { DeviceField } from './parts.tsx'
import { RANGE, useRumScope } from './scope.tsx'
import { sessionColumns } from './session-columns.tsx'
import { Activity, VitalTrend } from './trends.tsx'
import { VitalCards } from './vital-cards.tsx'
import { vitalOf } from './vitals.ts'

const DEFAULTS = { ...RANGE, page: '', device: '', vital: 'LCP' }
const LISTED = 10
const KEEP = { keep_previous: true }

export default function PagePage() {
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { page } = filters
  const { scope, range } = useRumScope()
  const query = { ...scope, page, device: filters.device }
  const vitals = useRead<RumVitals>('/console/api/rum/vitals', query, KEEP)
  const latest = { ...scope, page, limit: LISTED }
  const errors = useRead<RumError[]>('/console/api/rum/errors', latest, KEEP)
  const sessions = useRead<RumSession[]>('/console/api/rum/sessions', latest, KEEP)
  return (
    <Page title={page || 'Page'} up={{ to: '/rum/pages', label: 'Pages' }}>
      <RangeToolbar label="Page" range={range} set={setFilters}>
        <DeviceField value={filters.device} set={setFilters} />
      </RangeToolbar>
      <Section title="Web vitals">
        <Loaded read={vitals} what="web vitals">
          {({ overall }) => <VitalCards vitals={overall} />}
        </Loaded>
      </Section>
      <VitalTrend
        name={vitalOf(filters.vital)}
        query={query}
        onName={(vital) => setFilters({ vital })}
      />
      <Activity query={{ ...scope, page }} />
      <ListSection
        title="Errors"
        list={errors}
        what="errors"
        columns={errorColumns(range)}
        keyOf={({ fingerprint }) => fingerprint}
        emptyTitle="No errors on this page in this period"
      />
      <ListSection
        title="Latest sessions"
        label="Sessions"
        list={sessions}
        what="sessions"
        columns={sessionColumns(range)}
        keyOf={({ session_id }) => session_id}
        emptyTitle="No sessions on this page in this period"
      />
    </Page>
  )
}
