import { applyEdits, format } from 'jsonc-parser'
import { useState } from 'preact/hooks'
import { useRoute } from 'wouter'
import type { Attempt, DeliveryDetails } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  CodeBlock,
  Columns,
  Copyable,
  durationText,
  Facts,
  Loaded,
  Section,
  Table,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type EventType, type Health } from './api.ts'
import { RetryButton } from './deliveries.tsx'
import { EndpointPage } from './endpoint-page.tsx'
import { EVENTS } from './event-fields.tsx'
import { STATUS_MEANINGS, StatusBadge } from './status.tsx'

type Details = Answer<DeliveryDetails>

const REFRESH_MS = 2000

export default function DeliveryPage() {
  const [, params] = useRoute('/webhooks/:id/deliveries/:delivery')
  return (
    <EndpointPage
      part="Delivery"
      up={{ to: `/webhooks/${params?.id}/deliveries`, label: 'Deliveries' }}
    >
      {(endpoint) => (
        <Delivery key={params?.delivery} endpoint={endpoint} id={params?.delivery ?? ''} />
      )}
    </EndpointPage>
  )
}

function Delivery({ endpoint, id }: { endpoint: Health; id: string }) {
  const { id: org_id } = useOrg()
  const [hasEnded, setEnded] = useState(false)
  const read = useRead<Details>(
    `${CONSOLE}/${endpoint.id}/deliveries/${id}`,
    { org_id },
    { refresh_ms: hasEnded ? false : REFRESH_MS },
  )
  const isFinished = read.data?.next_attempt_at === null
  if (isFinished !== hasEnded) setEnded(isFinished)
  return (
    <Loaded read={read} what="the delivery">
      {(delivery) => (
        <>
          <Summary delivery={delivery} />
          <Attempts delivery={delivery} />
          <Columns>
            <Request delivery={delivery} />
            <Response delivery={delivery} />
          </Columns>
        </>
      )}
    </Loaded>
  )
}

function Summary({ delivery }: { delivery: Details }) {
  const { id, event_id, event_type, status, attempts, next_attempt_at, is_under_way } = delivery
  return (
    <Section title={event_type} actions={<RetryButton delivery={delivery} />}>
      <Facts
        facts={[
          [
            'Status',
            <span key="status" class="row">
              <StatusBadge status={status} />
              {delivery.is_test && <Badge>test event</Badge>}
              <span class="muted">{STATUS_MEANINGS[status]}</span>
            </span>,
          ],
          ['Trigger', EVENTS[event_type as EventType]?.when ?? null],
          ['Created', <Time key="created" at={delivery.created_at} as="exact" />],
          ['Attempts', `${attempts}`],
          [
            'Next attempt',
            is_under_way ? 'in progress' : <Time key="next" at={next_attempt_at} as="exact" />,
          ],
          ['Event ID', <Copyable key="event" text={event_id} />],
          ['Delivery ID', <Copyable key="delivery" text={id} />],
        ]}
      />
    </Section>
  )
}

function Attempts({ delivery }: { delivery: Details }) {
  const { tried, attempts } = delivery
  const rows = tried.map((attempt, index) => ({ ...attempt, index })).toReversed()
  return (
    <Section title="Attempts">
      {rows.length === 0 ? (
        <p class="muted">No attempts yet.</p>
      ) : (
        <Table
          label="Attempts"
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            { label: 'Time', cell: ({ at }) => <Time at={at} as="exact" /> },
            { label: 'Outcome', cell: ({ error }) => <Outcome error={error} /> },
            {
              label: 'Reason',
              isWide: true,
              cell: ({ error, response_status }) => error ?? `Status ${response_status}`,
            },
            {
              label: 'Status code',
              isNumber: true,
              cell: ({ response_status }) => response_status,
            },
            {
              label: 'Latency',
              isNumber: true,
              cell: ({ latency_ms }) => (latency_ms === null ? null : durationText(latency_ms)),
            },
          ]}
        />
      )}
      {attempts > tried.length && (
        <p class="muted">Details of earlier attempts are no longer stored.</p>
      )}
    </Section>
  )
}

const Outcome = ({ error }: Pick<Attempt, 'error'>) =>
  error === null ? <Badge tone="good">delivered</Badge> : <Badge tone="bad">failed</Badge>

function Request({ delivery }: { delivery: Details }) {
  const { url, headers, body } = delivery.request
  const [isRaw, setRaw] = useState(false)
  const lines = [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'x-service-signature: t=<time of the attempt>,v1=<HMAC-SHA256, hex>',
  ]
  return (
    <Section
      title="Request"
      actions={
        body !== null && (
          <Button
            size="small"
            kind="quiet"
            aria-pressed={isRaw}
            onClick={() => setRaw((before) => !before)}
          >
            {isRaw ? 'Formatted body' : 'Raw body'}
          </Button>
        )
      }
    >
      <div class="stack">
        <CodeBlock text={lines.join('\n')} label="Request line and headers" />
        {body === null ? (
          <p class="muted">The event is no longer stored, so it cannot be sent again.</p>
        ) : (
          <CodeBlock text={isRaw ? body : indented(body)} label="Request body" />
        )}
        <p class="muted">
          Every attempt sends the same body. The signature is computed for each attempt and not
          stored.
        </p>
      </div>
    </Section>
  )
}

function Response({ delivery }: { delivery: Details }) {
  const { response_status, response_body, error, attempted_at } = delivery
  return (
    <Section title="Response">
      {attempted_at === null ? (
        <p class="muted">No attempts yet.</p>
      ) : (
        <div class="stack">
          <p>
            {response_status === null ? (
              <>No complete response: {error}</>
            ) : (
              <>
                Status <strong>{response_status}</strong> in the last attempt
              </>
            )}
          </p>
          {response_body === null || response_body === '' ? (
            <p class="muted">The body was empty.</p>
          ) : (
            <>
              <CodeBlock text={response_body} label="Response body" />
              <p class="muted">Only the first 2 KiB are stored.</p>
            </>
          )}
        </div>
      )}
    </Section>
  )
}

/** Indents JSON text without parsing it, so that numbers beyond JavaScript's precision stay unchanged. */
const indented = (text: string): string =>
  applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }))
