import type { CheckPage } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useFilteredRows } from '../../api/lists.ts'
import { endOfDay, startOfDay } from '../../components/days.ts'
import { Identifier, ListPage, SCORE_COLUMN, Time, timeSorting } from '../../components/index.ts'
import { MINIMUM_SCORES, RISK_LEVELS } from '../../components/risk-filters.ts'
import type { Column } from '../../components/table.tsx'
import type { Sort } from '../../components/tables/sort.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { signalName, subjectOf } from './names.ts'

type Checks = Answer<CheckPage>

const SEARCHED = 'E-mail, phone, device, network'
const LEVELS = [{ value: '', label: 'Any level' }, ...RISK_LEVELS]
const NO_FILTERS = { q: '', level: '', min_score: '', event_id: '', from: '', to: '', sort: '' }

export default function CheckHistory() {
  const scope = useScope()
  const view = useFilters(NO_FILTERS)
  const [{ sort, from, to, ...filters }, set] = view
  const query = { ...scope, ...filters, sort, from: startOfDay(from), to: endOfDay(to) }
  const list = useFilteredRows('/console/api/checks', query, (page: Checks) => page.checks)
  return (
    <ListPage
      title="Checks"
      lead="Checked e-mails, phone numbers and devices"
      actions={
        <PageLink to="/checks/new" class="button button-primary">
          Run a check
        </PageLink>
      }
      list={list}
      what="checks"
      columns={columnsOf(timeSorting(sort, set))}
      keyOf={({ id }) => id}
      view={view}
      filters={[
        { name: 'q', label: 'Search', type: 'search', placeholder: SEARCHED },
        { name: 'event_id', label: 'Event ID' },
        { name: 'level', label: 'Level', options: LEVELS },
        { name: 'min_score', label: 'Score', options: MINIMUM_SCORES },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'To', type: 'date' },
      ]}
      emptyTitle={`No ${scope.mode} checks yet`}
      empty={
        <p>
          Send one to <code>POST /v1/check</code>, or{' '}
          <PageLink to="/checks/new">run one here</PageLink>.
        </p>
      }
    />
  )
}

const columnsOf = (sorting: Sort): readonly Column<Checks['checks'][number]>[] => [
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} />, sorting },
  SCORE_COLUMN,
  {
    label: 'Subject',
    cell: (check) => (
      <Identifier text={subjectOf(check)}>
        {(text) => <PageLink to={`/checks/${check.id}`}>{text}</PageLink>}
      </Identifier>
    ),
  },
  { label: 'Strongest signal', cell: ({ signal }) => signal && signalName(signal) },
  { label: 'Event type', cell: ({ event_type }) => event_type },
  { label: 'Event ID', cell: ({ event_id }) => event_id && <Identifier text={event_id} /> },
]
