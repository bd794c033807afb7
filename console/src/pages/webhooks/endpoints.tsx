import type { EndpointRate } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { mapRead } from '../../api/lists.ts'
import {
  Badge,
  Bar,
  countText,
  durationText,
  ListSection,
  numberText,
  Page,
  percentText,
  type Tone,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import { type Health, useEndpoints, useRates } from './api.ts'
import { PlanGate } from './plan-gate.tsx'
import { usePortalNames } from './portals/api.ts'
import { usePortal, useWebhookMode } from './scope.ts'
import { EndpointSince, EndpointState } from './status.tsx'
import styles from './webhooks.module.css'

const HOURS = 24
const GOOD = 0.99
const TOLERABLE = 0.9

type Row = Health & { rate: Answer<EndpointRate> | undefined; portal_name: string | undefined }

export default function WebhooksPage() {
  const isInPortal = usePortal() !== undefined
  return (
    <Page
      title="Webhooks"
      lead="Signed HTTPS requests that notify your systems of events"
      actions={
        <>
          {!isInPortal && (
            <PageLink to="/webhooks/portals" class="button">
              Portals
            </PageLink>
          )}
          <PageLink to="/webhooks/events" class="button">
            Event catalog
          </PageLink>
          <PageLink to="/webhooks/new" class="button button-primary">
            New endpoint
          </PageLink>
        </>
      }
    >
      <PlanGate>
        <Endpoints />
      </PlanGate>
    </Page>
  )
}

function Endpoints() {
  const mode = useWebhookMode()
  const portals = usePortalNames()
  const endpoints = useEndpoints()
  const rates = useRates(HOURS)
  const others = endpoints.data?.filter((endpoint) => endpoint.mode !== mode).length ?? 0
  const rowOf = (endpoint: Health): Row => ({
    ...endpoint,
    portal_name: endpoint.portal_id === null ? undefined : portals.get(endpoint.portal_id),
    rate: rates.data?.find(({ endpoint_id }) => endpoint_id === endpoint.id),
  })
  return (
    <>
      <ListSection
        list={mapRead(endpoints, (all) => all.filter((each) => each.mode === mode).map(rowOf))}
        what="endpoints"
        label="Webhook endpoints"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        emptyTitle={`No endpoints for ${mode} data`}
        empty={
          <p>
            An endpoint is a public HTTPS URL that receives the events you select. It gets its first
            delivery with the next event, or when you send a test event.
          </p>
        }
      />
      {others > 0 && (
        <p class="muted">
          {countText(others, 'endpoints')} for {mode === 'live' ? 'test' : 'live'} data. Switch the
          mode at the top to see {others === 1 ? 'it' : 'them'}.
        </p>
      )}
    </>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Endpoint',
    isWide: true,
    cell: ({ id, url, description, portal_name }) => (
      <>
        <PageLink to={`/webhooks/${id}`} class={styles['url']}>
          {url}
        </PageLink>
        {description !== '' && <div class="muted">{description}</div>}
        {portal_name !== undefined && <Badge>portal: {portal_name}</Badge>}
      </>
    ),
  },
  {
    label: 'State',
    cell: (endpoint) => (
      <div class="nowrap">
        <EndpointState endpoint={endpoint} />
        <div class="muted">
          <EndpointSince endpoint={endpoint} />
        </div>
      </div>
    ),
  },
  { label: 'Success, 24 h', cell: ({ rate, url }) => <Rate rate={rate} url={url} /> },
  {
    label: 'Deliveries',
    isNumber: true,
    cell: ({ rate }) => rate && `${rate.is_partial ? '≥ ' : ''}${numberText(totalOf(rate))}`,
  },
  { label: 'Pending', isNumber: true, cell: ({ rate }) => rate && rate.pending + rate.failed },
  {
    label: 'p95',
    isNumber: true,
    cell: ({ rate }) =>
      rate && rate.latency_p95_ms !== null ? durationText(rate.latency_p95_ms) : null,
  },
  {
    label: 'Events',
    isNumber: true,
    cell: ({ events }) => <span title={events.join('\n')}>{events.length}</span>,
  },
]

function Rate({ rate, url }: { rate: Answer<EndpointRate> | undefined; url: string }) {
  const attempted = rate ? totalOf(rate) - rate.pending : 0
  if (!rate || attempted === 0) return <span class="muted">no attempts</span>
  const share = rate.succeeded / attempted
  const text = percentText(share)
  return (
    <span class={styles['rate']}>
      <span class="number">{text}</span>
      <Bar label={`${text} of deliveries to ${url}`} value={share * 100} tone={toneOf(share)} />
    </span>
  )
}

function toneOf(share: number): Tone {
  if (share >= GOOD) return 'good'
  return share >= TOLERABLE ? 'warn' : 'bad'
}

const totalOf = ({ succeeded, failed, exhausted, pending }: Answer<EndpointRate>): number =>
  succeeded + failed + exhausted + pending
