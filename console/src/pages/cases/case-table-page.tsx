/** All cases as a table, to assign, escalate or decide several together. */
import type {
  CaseList,
  CaseRecord,
  DecidedCase,
} from '../../../../src/modules/reviews/cases/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Badge, countText, ListPage, RiskScore, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import type { Batch } from '../../components/tables/batch.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMe, useScope } from '../../shell/organization.ts'
import { KIND_NAMES, riskText, STATE_NAMES, titleOf } from './case-text.ts'
import { CASES, casePath } from './use-cases.ts'

const STATES = [
  { value: 'active', label: 'Not closed' },
  ...Object.entries(STATE_NAMES).map(([value, label]) => ({ value, label })),
]
const CAUSES = [
  { value: '', label: 'All' },
  ...Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label })),
]
const ASSIGNEES = [
  { value: '', label: 'All' },
  { value: 'me', label: 'Me' },
  { value: 'none', label: 'No one' },
]

export default function CaseTablePage() {
  const scope = useScope()
  const { user_id } = useMe()
  const view = useFilters({ state: 'active', cause: '', assignee: '' })
  const [{ state, cause, assignee }] = view
  const pages = usePages<CaseList>(
    CASES,
    {
      ...scope,
      state,
      order: state === 'closed' ? 'newest' : 'amount',
      ...(cause !== '' && { cause }),
      ...(assignee !== '' && { assignee }),
    },
    { keep_previous: true },
  )
  const people = Object.assign({}, ...(pages.data?.pages.map((page) => page.people) ?? [])) as {
    [id: string]: string
  }
  return (
    <ListPage
      title="Case table"
      lead="Select cases to assign, escalate or decide them together"
      up={{ to: '/cases', label: 'Cases' }}
      list={rowsOfPages(pages, ({ cases }) => cases)}
      what="cases"
      columns={columnsOf(people, state)}
      keyOf={({ id }) => id}
      batch={batchOf(scope.org_id, user_id)}
      view={view}
      filters={[
        { name: 'state', label: 'State', options: STATES },
        { name: 'cause', label: 'Cause', options: CAUSES },
        { name: 'assignee', label: 'Assignee', options: ASSIGNEES },
      ]}
      emptyTitle="No cases"
      empty={<p>Orders and cashier actions with a high score are grouped into cases.</p>}
    />
  )
}

const columnsOf = (
  people: Readonly<Record<string, string>>,
  state: string,
): readonly Column<CaseRecord>[] => [
  {
    label: 'Case',
    isWide: true,
    cell: (record) => (
      <PageLink to="/cases" query={{ ...(state !== 'active' && { state }), case: record.id }}>
        {titleOf(record)}
      </PageLink>
    ),
  },
  {
    label: 'Score',
    cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
  },
  { label: 'At risk', isNumber: true, cell: riskText },
  { label: 'Items', isNumber: true, cell: ({ items }) => items },
  {
    label: 'Customer',
    cell: ({ customer, country }) => [customer, country].filter(Boolean).join(' · '),
  },
  {
    label: 'State',
    cell: ({ state: own, is_escalated, outcome }) => (
      <span class="nowrap">
        {STATE_NAMES[own]} {is_escalated && <Badge tone="warn">Escalated</Badge>}
        {outcome !== null && <Badge>{outcome}</Badge>}
      </span>
    ),
  },
  {
    label: 'Assignee',
    cell: ({ assignee_id }) =>
      assignee_id && <span class="one-line">{people[assignee_id] ?? 'former member'}</span>,
  },
  { label: 'First item', cell: ({ first_at }) => <Time at={first_at} as="age" /> },
  {
    label: 'Due',
    cell: ({ due_at, is_overdue, state: own }) => (
      <span class="nowrap">
        <Time at={due_at} as="age" />{' '}
        {is_overdue && own !== 'closed' && <Badge tone="bad">Overdue</Badge>}
      </span>
    ),
  },
]

function batchOf(org_id: string, user_id: string): Batch<CaseRecord> {
  const isOpen = ({ state }: CaseRecord) => state !== 'closed'
  const change =
    (changed: object) =>
    ({ id, version }: CaseRecord) => ({
      method: 'PATCH' as const,
      path: casePath(id),
      body: { org_id, version, ...changed },
    })
  const decide = (decision: 'confirmed_fraud' | 'legitimate') => ({
    appliesTo: ({ open_items }: CaseRecord) => open_items > 0,
    callOf: ({ id }: CaseRecord) => ({
      method: 'POST' as const,
      path: `${casePath(id)}/decision`,
      body: { org_id, decision },
    }),
    faultOf: (answer: unknown) => {
      const { refused } = answer as DecidedCase
      return refused.length === 0
        ? null
        : `${countText(refused.length, 'items')} could not be decided`
    },
  })
  return {
    nameOf: titleOf,
    actions: [
      {
        label: 'Assign to me',
        effect: 'You work on these cases. Others see that.',
        appliesTo: (record) => isOpen(record) && record.assignee_id !== user_id,
        callOf: change({ assignee_id: user_id }),
      },
      {
        label: 'Escalate',
        effect: 'The cases are marked as escalated.',
        appliesTo: (record) => isOpen(record) && !record.is_escalated,
        callOf: change({ is_escalated: true }),
      },
      {
        label: 'Legitimate',
        effect: 'All undecided items of the cases are marked as legitimate.',
        ...decide('legitimate'),
      },
      {
        label: 'Fraud',
        isDanger: true,
        effect: 'All undecided items of the cases are marked as fraud.',
        ...decide('confirmed_fraud'),
      },
    ],
    invalidates: [CASES],
  }
}
