/** Groups of errors, the most frequent first, with their frequency over time. */
import type {
  ErrorStates,
  StateChange,
} from '../../../../../src/modules/edge/error-states/schema.ts'
import type { ErrorGroupRecord, ErrorTrends } from '../../../../../src/modules/edge/logs/schema.ts'
import { useNumberedRows } from '../../../api/lists.ts'
import { useRead } from '../../../api/read.ts'
import {
  Button,
  countText,
  ListPage,
  numberText,
  PageButtons,
  SelectField,
  Sparkline,
  Time,
} from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import type { Batch } from '../../../components/tables/batch.tsx'
import { usePagedFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useScope } from '../../../shell/organization.ts'
import { TRENDS_PATH } from '../queries.ts'
import { RangeToolbar, useDates } from '../range-toolbar.tsx'
import { LogTabs } from '../tabs.tsx'
import { changeText } from './change-text.ts'
import styles from './errors.module.css'
import { MEMBERS_PATH, type Member, STATES_PATH, StateBadge } from './state.tsx'

const PAGE_SIZE = 50
const SHOWN_STATES = ['new', 'regressed', 'acknowledged', 'resolved', 'ignored']

export default function GroupsPage() {
  const { view, page, setPage } = usePagedFilters({ range: '24h', state: '', assignee_id: '' })
  const [{ range, state, assignee_id }, set] = view
  const scope = useScope()
  const query = { ...scope, ...useDates(range) }
  const filters = { ...(state !== '' && { state }), ...(assignee_id !== '' && { assignee_id }) }
  const members = useRead<{ members: Member[] }>(MEMBERS_PATH, { org_id: scope.org_id })
  const { list } = useNumberedRows<ErrorGroupRecord[], ErrorGroupRecord>(
    '/console/api/edge/errors',
    { ...query, ...filters },
    { page, limit: PAGE_SIZE, rowsOf: (found) => found },
  )
  const groups = list.data ?? []
  const fingerprints = groups.map(({ fingerprint }) => fingerprint).join(',')
  const options = { enabled: fingerprints !== '' }
  const trends = useRead<ErrorTrends>(TRENDS_PATH, { ...query, fingerprints }, options)
  const states = useRead<ErrorStates>(STATES_PATH, { ...query, fingerprints }, options)
  return (
    <ListPage
      title="Error groups"
      lead="Logs with the levels error and fatal, grouped by cause"
      tabs={<LogTabs />}
      list={list}
      what="error groups"
      toolbar={
        <RangeToolbar label="Filter error groups" range={range} set={set}>
          <SelectField
            label="State"
            value={state}
            options={[{ value: '', label: 'Any state' }, ...SHOWN_STATES]}
            onChange={(next) => set({ state: next })}
          />
          <SelectField
            label="Assignee"
            value={assignee_id}
            options={[
              { value: '', label: 'Anyone' },
              { value: 'none', label: 'No one' },
              ...(members.data?.members ?? []).map(({ user_id, email }) => ({
                value: user_id,
                label: email,
              })),
            ]}
            onChange={(next) => set({ assignee_id: next })}
          />
        </RangeToolbar>
      }
      columns={columnsFor(range, trends.data?.trends ?? [], states.data?.states ?? [])}
      keyOf={({ fingerprint }) => fingerprint}
      batch={batchOf(scope)}
      isFiltered={page === 1 && (state !== '' || assignee_id !== '')}
      emptyTitle={page > 1 ? 'No more error groups' : 'No errors in this period'}
      empty={
        page > 1 ? (
          <Button onClick={() => setPage(1)}>Go to the first page</Button>
        ) : (
          <p>
            Logs with the levels error and fatal appear here. Select a longer period to see older
            errors.
          </p>
        )
      }
    >
      {groups.length > 0 && (
        <nav class="more" aria-label="Pages of error groups">
          <PageButtons
            page={page}
            label={`Page ${numberText(page)}`}
            isLast={groups.length < PAGE_SIZE}
            onPage={setPage}
          />
        </nav>
      )}
    </ListPage>
  )
}

function batchOf(scope: ReturnType<typeof useScope>): Batch<ErrorGroupRecord> {
  const change =
    (body: StateChange) =>
    ({ fingerprint }: ErrorGroupRecord) => ({
      method: 'PATCH' as const,
      path: `/console/api/edge/errors/${encodeURIComponent(fingerprint)}/state`,
      body: { ...scope, ...body },
    })
  return {
    nameOf: ({ error_type, message }) => `${error_type ?? 'No type'}: ${message.slice(0, 80)}`,
    actions: [
      {
        label: 'Acknowledge',
        effect: 'The groups are marked as known, so that others see that someone looks at them.',
        callOf: change({ state: 'acknowledged' }),
      },
      {
        label: 'Resolve',
        effect:
          'The groups are marked as resolved. They return as regressed when they occur again.',
        callOf: change({ state: 'resolved' }),
      },
    ],
    invalidates: [STATES_PATH, '/console/api/edge/errors'],
  }
}

type Trends = ErrorTrends['trends']

function columnsFor(
  range: string,
  trends: Trends,
  states: ErrorStates['states'],
): readonly Column<ErrorGroupRecord>[] {
  const stateOf = new Map(states.map((state) => [state.fingerprint, state]))
  const countsOf = new Map(trends.map(({ fingerprint, counts }) => [fingerprint, counts]))
  return [
    {
      label: 'Error',
      isWide: true,
      cell: ({ fingerprint, error_type, message }) => (
        <PageLink
          to={`/logs/errors/${encodeURIComponent(fingerprint)}`}
          query={{ range }}
          class={styles['group']}
        >
          <strong>{error_type ?? 'No type'}</strong>
          <span class={styles['message']}>{message.slice(0, 300) || '(empty message)'}</span>
        </PageLink>
      ),
    },
    {
      label: 'State',
      cell: ({ fingerprint }) => {
        const state = stateOf.get(fingerprint)
        return (
          state && (
            <>
              <StateBadge state={state.state} />
              {state.assignee && <div class="muted">{state.assignee.email ?? 'deleted user'}</div>}
            </>
          )
        )
      },
    },
    {
      label: 'Trend',
      cell: ({ fingerprint, count }) => {
        const counts = countsOf.get(fingerprint)
        return (
          counts && (
            <Sparkline label={`${countText(count, 'errors')} in this period`} values={counts} />
          )
        )
      },
    },
    { label: 'Errors', isNumber: true, cell: ({ count }) => count },
    {
      label: 'Compared with the time before',
      cell: ({ fingerprint, count }) => {
        const state = stateOf.get(fingerprint)
        return state && changeText(state.previous_count, count)
      },
    },
    { label: 'Devices', isNumber: true, cell: ({ affected_devices }) => affected_devices },
    { label: 'Last seen', cell: ({ last_seen }) => <Time at={last_seen} as="age" /> },
    {
      label: 'First seen in this period',
      cell: (group) => <Time at={group.first_seen} as="age" />,
    },
    { label: 'Environments', cell: ({ environments }) => environments.join(', ') },
  ]
}
