/** Alerts on suspicious patterns: each once per profile, else device or terminal, in 24 hours. */
import { usePages } from '../../api/read.ts'
import {
  Badge,
  Button,
  Empty,
  Failed,
  More,
  Page,
  RiskScore,
  Section,
  SelectField,
  Table,
  Time,
  Toolbar,
  Waiting,
} from '../../components/index.ts'
import { wordsOf } from '../../components/order/signals.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { DecisionBadge } from './order-table.tsx'
import styles from './orders.module.css'
import { OrderTabs } from './tabs.tsx'

/** A review whose subject is an alert, as the review queue answers it. */
type Alert = {
  id: string
  /** Of the order. */
  subject_id: string
  /** `external_order_id` */
  external_id: string
  /** The pattern. */
  reason: string
  risk_score: number
  risk_level: 'low' | 'medium' | 'high' | 'critical'
  created_at: string
  decision: 'confirmed_fraud' | 'legitimate' | null
}

const FILTERS = { state: 'open' }
const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'decided', label: 'Decided' },
  { value: 'all', label: 'All' },
]

export default function Alerts() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [{ state }, setFilters] = useFilters<'state'>(FILTERS)
  const pages = usePages<{ reviews: Alert[]; next_cursor: string | null }>(
    '/console/api/reviews',
    { org_id, mode, subject: 'alert', state },
    { keep: true },
  )
  const alerts = pages.data?.pages.flatMap((page) => page.reviews) ?? []
  return (
    <Page title="Pattern alerts" lead="Orders whose pattern is suspicious in itself, newest first">
      <OrderTabs />
      <Toolbar label="Filter alerts">
        <SelectField
          label="State"
          value={state}
          options={STATES}
          onChange={(value) => setFilters({ state: value }, { replace: true })}
        />
      </Toolbar>
      <Section title="Alerts" hideTitle>
        {pages.error ? (
          <Failed error={pages.error} onRetry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Waiting for="alerts" />
        ) : alerts.length === 0 && pages.hasNextPage ? (
          <Empty title="No alerts so far">
            <p>There are older reviews that were not looked at yet.</p>
            <More pages={pages} shown={0} what="alerts" />
          </Empty>
        ) : alerts.length === 0 ? (
          <Empty title={state === 'open' ? 'No open alerts' : 'No alerts'}>
            {state === 'open' && (
              <Button onClick={() => setFilters({ state: 'all' })}>Show those of before</Button>
            )}
          </Empty>
        ) : (
          <>
            <AlertTable alerts={alerts} />
            <More pages={pages} shown={alerts.length} what="alerts" />
          </>
        )}
      </Section>
    </Page>
  )
}

function AlertTable({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <Table
      label="Alerts"
      rows={alerts}
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
        { label: 'Pattern', cell: ({ reason }) => <Badge tone="bad">{wordsOf(reason)}</Badge> },
        {
          label: 'Order',
          isWide: true,
          cell: ({ subject_id, external_id }) => (
            <PageLink to={`/orders/${subject_id}`}>{external_id}</PageLink>
          ),
        },
        {
          label: 'Score',
          cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
        },
        {
          label: 'Decision',
          cell: ({ decision }) => <DecisionBadge decision={decision} is_waiting />,
        },
      ]}
    />
  )
}
