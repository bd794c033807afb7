/** Fraud alerts: patterns over several orders, raised once per profile, device or terminal in 24 hours. */
import type { ReviewItem, ReviewList } from '../../../../src/modules/reviews/schema.ts'
import { useFilteredRows } from '../../api/lists.ts'
import { Badge, ListPage, SCORE_COLUMN, Time, wordsOf } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { OrderDecision } from './order-columns.tsx'
import { OrderTabs } from './tabs.tsx'

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'decided', label: 'Decided' },
  { value: 'all', label: 'All' },
]

export default function FraudAlerts() {
  const scope = useScope()
  const view = useFilters({ state: 'open' })
  const query = { ...scope, ...view[0], subject: 'alert' }
  const list = useFilteredRows('/console/api/reviews', query, (page: ReviewList) => page.reviews)
  return (
    <ListPage
      title="Fraud alerts"
      lead="Suspicious patterns across orders, newest first"
      tabs={<OrderTabs />}
      list={list}
      what="alerts"
      columns={COLUMNS}
      keyOf={({ id }) => id}
      view={view}
      filters={[{ name: 'state', label: 'State', options: STATES }]}
      emptyTitle="No open alerts"
      empty={<p>Select “All” to include decided alerts.</p>}
    />
  )
}

const COLUMNS: readonly Column<ReviewItem>[] = [
  { label: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Pattern', cell: ({ reason }) => <Badge tone="bad">{wordsOf(reason)}</Badge> },
  {
    label: 'Order',
    isWide: true,
    cell: ({ subject_id, external_id }) => (
      <PageLink to={`/orders/${subject_id}`}>{external_id}</PageLink>
    ),
  },
  SCORE_COLUMN,
  { label: 'Decision', cell: ({ decision }) => <OrderDecision decision={decision} is_waiting /> },
]
