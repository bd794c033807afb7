/** One page: its vitals, how they went, its errors and its latest sessions. */
import type {
  RumError,
  RumSession,
  RumVitalName,
  RumVitals,
} from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { Empty, Page, Section, SelectField, Shown, Toolbar } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeField } from '../logs/range-field.tsx'
import { ErrorTable } from './error-table.tsx'
import { RANGE, useRumScope } from './scope.tsx'
import { SessionTable } from './session-table.tsx'
import { Activity, VitalTrend } from './trends.tsx'
import { VitalCards } from './vital.tsx'
import { VITAL_NAMES } from './vitals.ts'
import { DEVICES } from './words.tsx'

const DEFAULTS = { ...RANGE, page: '', device: '', vital: 'LCP' }
const LISTED = 10

export default function PagePage() {
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { page } = filters
  const { scope, range } = useRumScope()
  const query = { ...scope, page, device: filters.device }
  const vitals = useRead<RumVitals>('/console/api/rum/vitals', query, { keep: true })
  const ofPage = { ...scope, page, limit: LISTED }
  const errors = useRead<RumError[]>('/console/api/rum/errors', ofPage, { keep: true })
  const sessions = useRead<RumSession[]>('/console/api/rum/sessions', ofPage, { keep: true })
  return (
    <Page title={page || 'Page'} up={{ to: '/rum/pages', label: 'Pages' }}>
      <Toolbar label="Page">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
        <SelectField
          label="Device"
          value={filters.device}
          options={DEVICES}
          onChange={(device) => setFilters({ device })}
        />
      </Toolbar>
      <Section title="Web vitals">
        <Shown read={vitals} what="web vitals">
          {({ overall }) => <VitalCards vitals={overall} />}
        </Shown>
      </Section>
      <VitalTrend
        name={VITAL_NAMES.find((name) => name === filters.vital) ?? ('LCP' satisfies RumVitalName)}
        query={query}
        onName={(vital) => setFilters({ vital })}
      />
      <Activity query={{ ...scope, page }} />
      <Section title="Errors">
        <Shown read={errors} what="errors">
          {(groups) =>
            groups.length === 0 ? (
              <Empty title="No errors on this page in this time" />
            ) : (
              <ErrorTable errors={groups} range={range} />
            )
          }
        </Shown>
      </Section>
      <Section title="Latest sessions">
        <Shown read={sessions} what="sessions">
          {(found) =>
            found.length === 0 ? (
              <Empty title="No session saw this page in this time" />
            ) : (
              <SessionTable sessions={found} range={range} />
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}
