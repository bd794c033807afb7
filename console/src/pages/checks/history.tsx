/** The history of checks, newest first, with filters that live in the address. */
import type { CheckPage } from '../../../../src/modules/checks/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { usePages } from '../../api/read.ts'
import {
  Button,
  Empty,
  Failed,
  FilterField,
  Page,
  RiskScore,
  Section,
  SelectField,
  Table,
  Time,
  Toolbar,
  Waiting,
} from '../../components/index.ts'
import { LEAST_SCORES, RISK_LEVELS } from '../../components/risk-filters.ts'
import { Walked } from '../../components/walked.tsx'
import { type SetFilters, useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './checks.module.css'
import { signalName, subjectOf } from './names.ts'

type Check = Answer<CheckPage>['checks'][number]

const FILTERS = { q: '', level: '', min_score: '', event_id: '', from: '', to: '' }
type Name = keyof typeof FILTERS

export default function CheckHistory() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [filters, setFilters] = useFilters<Name>(FILTERS)
  const pages = usePages<Answer<CheckPage>>(
    '/console/api/checks',
    { org_id, mode, ...filters },
    { keep: true },
  )
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const checks = pages.data?.pages.flatMap((page) => page.checks) ?? []
  return (
    <Page
      title="Checks"
      lead="E-mails, phone numbers and devices that were checked, newest first"
      actions={
        <PageLink to="/checks/new" class="button button-primary">
          Try a check
        </PageLink>
      }
    >
      <CheckFilters filters={filters} set={setFilters} />
      <Section title="History" hideTitle>
        {pages.error ? (
          <Failed error={pages.error} onRetry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Waiting for="checks" />
        ) : (
          <>
            {checks.length === 0 ? (
              <Nothing isFiltered={isFiltered} onClear={() => setFilters(FILTERS)} />
            ) : (
              <CheckTable checks={checks} />
            )}
            {(checks.length > 0 || pages.hasNextPage) && (
              <Walked
                pages={pages}
                shown={checks.length}
                what="checks"
                examined_until={pages.data.pages.at(-1)?.examined_until ?? null}
              />
            )}
          </>
        )}
      </Section>
    </Page>
  )
}

function CheckFilters({
  filters,
  set,
}: {
  filters: Readonly<Record<Name, string>>
  set: SetFilters<Name>
}) {
  const change = (name: Name) => (value: string) => set({ [name]: value }, { replace: true })
  return (
    <Toolbar label="Filter checks">
      <FilterField
        label="Search"
        type="search"
        placeholder="E-mail, phone, device, network"
        value={filters.q}
        onChange={change('q')}
      />
      <FilterField label="Event ID" value={filters.event_id} onChange={change('event_id')} />
      <SelectField
        label="Level"
        value={filters.level}
        options={[{ value: '', label: 'Any level' }, ...RISK_LEVELS]}
        onChange={change('level')}
      />
      <SelectField
        label="Score"
        value={filters.min_score}
        options={LEAST_SCORES}
        onChange={change('min_score')}
      />
      <FilterField label="From (UTC)" type="date" value={filters.from} onChange={change('from')} />
      <FilterField label="To (UTC)" type="date" value={filters.to} onChange={change('to')} />
    </Toolbar>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const mode = useMode()
  if (isFiltered) {
    return (
      <Empty title="No check matches">
        <Button onClick={onClear}>Clear the filters</Button>
      </Empty>
    )
  }
  return (
    <Empty title={mode === 'test' ? 'No test checks yet' : 'No live checks yet'}>
      <p>
        Send one to <code>POST /v1/check</code>, or{' '}
        <PageLink to="/checks/new">try one here</PageLink>.
      </p>
    </Empty>
  )
}

function CheckTable({ checks }: { checks: readonly Check[] }) {
  return (
    <Table
      label="Checks"
      rows={checks}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Time',
          cell: ({ created_at }) => (
            <span class={styles['nowrap']}>
              <Time at={created_at} />
            </span>
          ),
        },
        {
          label: 'Score',
          cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
        },
        {
          label: 'Checked',
          isWide: true,
          cell: (check) => <PageLink to={`/checks/${check.id}`}>{subjectOf(check)}</PageLink>,
        },
        {
          label: 'Strongest signal',
          cell: ({ signal }) =>
            signal === null ? <span class="muted">nothing found</span> : signalName(signal),
        },
        { label: 'Event type', cell: ({ event_type }) => event_type ?? '' },
        {
          label: 'Event ID',
          cell: ({ event_id }) => (event_id === null ? '' : <code>{event_id}</code>),
        },
      ]}
    />
  )
}
