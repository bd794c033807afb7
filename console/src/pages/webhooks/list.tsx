/** The endpoints of an organisation and how they fare. */
import type { EndpointRate } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Bar,
  durationText,
  Empty,
  numberText,
  Page,
  percentText,
  Section,
  Shown,
  Table,
  type Tone,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode } from '../../shell/organization.ts'
import { type Health, successRate, useEndpoints, useRates } from './api.ts'
import { PlanGate } from './plan.tsx'
import styles from './webhooks.module.css'
import { EndpointSince, EndpointState } from './words.tsx'

const HOURS = 24
const GOOD = 0.99
const TOLERABLE = 0.9

type Row = Health & { rate: Answer<EndpointRate> | undefined }

export default function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="Signed requests that tell your systems what happened."
      actions={<NewEndpoint />}
    >
      <PlanGate>
        <Endpoints />
      </PlanGate>
    </Page>
  )
}

const NewEndpoint = () => (
  <PageLink to="/webhooks/new" class="button button-primary">
    New endpoint
  </PageLink>
)

function Endpoints() {
  const mode = useMode()
  const endpoints = useEndpoints()
  const rates = useRates(HOURS)
  return (
    <Shown read={endpoints} what="endpoints">
      {(all) => {
        const shown = all.filter((endpoint) => endpoint.mode === mode)
        const others = all.length - shown.length
        const rows = shown.map((endpoint) => ({
          ...endpoint,
          rate: rates.data?.find(({ endpoint_id }) => endpoint_id === endpoint.id),
        }))
        return (
          <>
            {rows.length === 0 ? (
              <Empty title={`No endpoint gets events of ${mode} data`}>
                <p>
                  An endpoint is a public HTTPS URL of yours and the events that it wants. It gets
                  its first delivery with the next event, or by a test event at once.
                </p>
              </Empty>
            ) : (
              <Section title={`Endpoints for ${mode} data`} hideTitle>
                <EndpointTable rows={rows} />
              </Section>
            )}
            {others > 0 && (
              <p class="muted">
                {numberText(others)} more for {mode === 'live' ? 'test' : 'live'} data: change the
                mode above.
              </p>
            )}
          </>
        )
      }}
    </Shown>
  )
}

const EndpointTable = ({ rows }: { rows: readonly Row[] }) => (
  <Table
    label="Webhook endpoints"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Endpoint',
        isWide: true,
        cell: ({ id, url, description }) => (
          <>
            <PageLink to={`/webhooks/${id}`} class={styles['url']}>
              {url}
            </PageLink>
            {description !== '' && <div class="muted">{description}</div>}
          </>
        ),
      },
      {
        label: 'State',
        cell: (endpoint) => (
          <div class={styles['state']}>
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
      {
        label: 'Waiting',
        isNumber: true,
        cell: ({ rate }) => rate && numberText(rate.pending + rate.failed),
      },
      {
        label: 'p95',
        isNumber: true,
        cell: ({ rate }) =>
          rate?.latency_p95_ms === null ? '–' : rate && durationText(rate.latency_p95_ms),
      },
      {
        label: 'Events',
        isNumber: true,
        cell: ({ events }) => <span title={events.join('\n')}>{events.length}</span>,
      },
    ]}
  />
)

function Rate({ rate, url }: { rate: Answer<EndpointRate> | undefined; url: string }) {
  const share = rate && successRate(rate)
  if (share === undefined || share === null) return <span class="muted">nothing tried</span>
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
