import type {
  DeliveryPage,
  ListedDelivery,
} from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { endOfDay, startOfDay } from '../../components/days.ts'
import {
  Badge,
  Button,
  durationText,
  ListSection,
  Time,
  timeSorting,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import type { Sort } from '../../components/tables/sort.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, DOCUMENTED, type Health, useWebhookChange } from './api.ts'
import { endpointPage } from './endpoint-page.tsx'
import { EVENT_TYPES } from './event-fields.tsx'
import { STATUS_MEANINGS, StatusBadge } from './status.tsx'

const REFRESH_MS = 5000
const ANY = { value: '', label: 'Any' }
const STATUSES = [ANY, ...Object.keys(STATUS_MEANINGS)]

type Row = Answer<ListedDelivery>

export default endpointPage('Deliveries', Deliveries)

function Deliveries({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const view = useFilters({ status: '', event_type: '', from: '', to: '', sort: '' })
  const [{ status, event_type, from, to, sort }, set] = view
  const pages = usePages<Answer<DeliveryPage>>(
    `${CONSOLE}/${endpoint.id}/deliveries`,
    { org_id, status, event_type, from: startOfDay(from), to: endOfDay(to), sort },
    { refresh_ms: REFRESH_MS, keep_previous: true },
  )
  return (
    <ListSection
      list={rowsOfPages(pages, ({ deliveries }) => deliveries)}
      what="deliveries"
      columns={columnsOf(endpoint, timeSorting(sort, set))}
      keyOf={({ id }) => id}
      batch={{
        nameOf: (delivery) => `${delivery.event_type} ${delivery.id}`,
        actions: [
          {
            label: 'Retry',
            effect: 'Each delivery is attempted again at once, with the same content and id.',
            appliesTo: canRetry,
            callOf: ({ id }) => ({ method: 'POST', path: retryPath(id), body: { org_id } }),
          },
        ],
        invalidates: [CONSOLE],
      }}
      view={view}
      filters={[
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'event_type', label: 'Event', options: [ANY, ...EVENT_TYPES] },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'To', type: 'date' },
      ]}
      empty={
        <p>Deliveries appear with the next subscribed event, or when you send a test event.</p>
      }
    />
  )
}

const columnsOf = (endpoint: Health, sorting: Sort): readonly Column<Row>[] => [
  {
    label: 'Event',
    cell: ({ id, event_type, is_test }) => (
      <>
        <PageLink to={`/webhooks/${endpoint.id}/deliveries/${id}`}>{event_type}</PageLink>{' '}
        {is_test && <Badge>test event</Badge>}
      </>
    ),
  },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} />, sorting },
  { label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  {
    label: 'Last response',
    isWide: true,
    cell: ({ error, response_status, attempted_at }) =>
      attempted_at === null ? (
        <span class="muted">not attempted yet</span>
      ) : (
        (error ?? `Status ${response_status}`)
      ),
  },
  {
    label: 'Latency',
    isNumber: true,
    cell: ({ latency_ms }) => (latency_ms === null ? null : durationText(latency_ms)),
  },
  {
    label: 'Next attempt',
    cell: ({ next_attempt_at, is_under_way }) =>
      is_under_way ? 'in progress' : <Time at={next_attempt_at} />,
  },
  {
    label: 'Actions',
    hideLabel: true,
    cell: (delivery) => <RetryButton delivery={delivery} size="small" />,
  },
]

const canRetry = ({ status }: Row): boolean => status === 'failed' || status === 'exhausted'

const retryPath = (id: string): string => `${DOCUMENTED}/deliveries/${id}/retry`

/** Renders nothing for a delivery that cannot be retried. */
export function RetryButton({ delivery, size }: { delivery: Row; size?: 'small' }) {
  const path = retryPath(delivery.id)
  const retry = useWebhookChange(() => ({ method: 'POST', path, body: {} }), {
    quiet: false,
    toast: 'Retry queued',
  })
  if (!canRetry(delivery)) return null
  return (
    <Button
      size={size ?? 'normal'}
      kind={size ? 'quiet' : 'plain'}
      busy={retry.isPending}
      onClick={() => retry.mutate()}
      aria-label={`Retry ${delivery.event_type} ${delivery.id}`}
    >
      Retry
    </Button>
  )
}
