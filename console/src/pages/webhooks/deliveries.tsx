/** What was to be delivered to one endpoint, newest first. */
import type {
  DeliveryPage,
  ListedDelivery,
} from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, usePages } from '../../api/read.ts'
import {
  Badge,
  Button,
  durationText,
  Empty,
  More,
  Section,
  SelectField,
  Shown,
  Table,
  TextField,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CHANGES, CONSOLE, DOCUMENTED, type Health } from './api.ts'
import { EVENT_TYPES } from './events.tsx'
import { EndpointFrame } from './frame.tsx'
import { timeOf } from './local-time.ts'
import { STATUS_MEANINGS, StatusBadge } from './words.tsx'

const REFRESH_MS = 5000
const STATUSES = Object.keys(STATUS_MEANINGS)
const FILTERS = { status: '', event_type: '', from: '', to: '' }

type Row = Answer<ListedDelivery>

export default function DeliveriesPage() {
  return (
    <EndpointFrame part="Deliveries">
      {(endpoint) => <Deliveries key={endpoint.id} endpoint={endpoint} />}
    </EndpointFrame>
  )
}

function Deliveries({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const [filters, set] = useFilters(FILTERS)
  const { status, event_type, from, to } = filters
  const pages = usePages<Answer<DeliveryPage>>(
    `${CONSOLE}/${endpoint.id}/deliveries`,
    { org_id, status, event_type, from: dayStart(from), to: dayEnd(to) },
    { refresh_ms: REFRESH_MS, keep: true },
  )
  const hasFilters = Object.values(filters).some((value) => value !== '')
  return (
    <Section title="Deliveries" hideTitle>
      <Toolbar label="Filter deliveries">
        <SelectField
          label="Status"
          value={status}
          options={[{ value: '', label: 'Any' }, ...STATUSES]}
          onChange={(value) => set({ status: value })}
        />
        <SelectField
          label="Event"
          value={event_type}
          options={[{ value: '', label: 'Any' }, ...EVENT_TYPES]}
          onChange={(value) => set({ event_type: value })}
        />
        <TextField
          label="From"
          type="date"
          value={from}
          onInput={(value) => set({ from: value })}
        />
        <TextField label="To" type="date" value={to} onInput={(value) => set({ to: value })} />
        {hasFilters && (
          <Button kind="quiet" onClick={() => set(FILTERS)}>
            Clear
          </Button>
        )}
      </Toolbar>
      <Shown read={pages} what="deliveries">
        {({ pages: read }) => {
          const rows = read.flatMap(({ deliveries }) => deliveries)
          const last = read.at(-1)
          return (
            <>
              {rows.length === 0 && !pages.hasNextPage ? (
                <Nothing hasFilters={hasFilters} />
              ) : (
                <DeliveryTable endpoint={endpoint} rows={rows} />
              )}
              {last?.examined_until && (
                <p class="muted">
                  Looked back until <Time at={last.examined_until} />.
                </p>
              )}
              {(rows.length > 0 || pages.hasNextPage) && (
                <More pages={pages} shown={rows.length} what="deliveries" />
              )}
            </>
          )
        }}
      </Shown>
    </Section>
  )
}

const Nothing = ({ hasFilters }: { hasFilters: boolean }) =>
  hasFilters ? (
    <Empty title="No delivery is like that">
      <p>Clear the filters to see all that are kept.</p>
    </Empty>
  ) : (
    <Empty title="Nothing was to be delivered yet">
      <p>The next event that this endpoint wants appears here. A test event does at once.</p>
    </Empty>
  )

function DeliveryTable({ endpoint, rows }: { endpoint: Health; rows: readonly Row[] }) {
  return (
    <Table
      label="Deliveries"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Event',
          cell: ({ id, event_type, is_test }) => (
            <>
              <PageLink to={`/webhooks/${endpoint.id}/deliveries/${id}`}>{event_type}</PageLink>
              {is_test && (
                <>
                  {' '}
                  <Badge>test event</Badge>
                </>
              )}
            </>
          ),
        },
        { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
        { label: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
        { label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
        {
          label: 'Last answer',
          isWide: true,
          cell: ({ error, response_status, attempted_at }) =>
            attempted_at === null ? (
              <span class="muted">not tried yet</span>
            ) : (
              (error ?? `Answered ${response_status}`)
            ),
        },
        {
          label: 'Latency',
          isNumber: true,
          cell: ({ latency_ms }) => (latency_ms === null ? '–' : durationText(latency_ms)),
        },
        {
          label: 'Next attempt',
          cell: ({ next_attempt_at, is_under_way }) =>
            is_under_way ? 'under way' : <Time at={next_attempt_at} />,
        },
        {
          label: 'Actions',
          hideLabel: true,
          cell: (delivery) => <RetryButton delivery={delivery} size="small" />,
        },
      ]}
    />
  )
}

/** Nothing for what cannot be retried. */
export function RetryButton({
  delivery,
  size = 'normal',
}: {
  delivery: Row
  size?: 'normal' | 'small'
}) {
  const { id: org_id } = useOrg()
  const retry = useChange(
    () => ({
      method: 'POST',
      path: `${DOCUMENTED}/deliveries/${delivery.id}/retry`,
      body: { org_id },
    }),
    { done: 'Queued: it goes again now', changes: CHANGES },
  )
  if (delivery.status !== 'failed' && delivery.status !== 'exhausted') return null
  return (
    <Button
      size={size}
      kind={size === 'small' ? 'quiet' : 'plain'}
      busy={retry.isPending}
      onClick={() => retry.mutate()}
      aria-label={`Retry ${delivery.event_type} ${delivery.id}`}
    >
      Retry
    </Button>
  )
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Days are those of the viewer. */
const dayStart = (day: string): string | undefined =>
  DAY.test(day) ? timeOf(`${day}T00:00:00`) : undefined
const dayEnd = (day: string): string | undefined =>
  DAY.test(day) ? timeOf(`${day}T23:59:59.999`) : undefined
