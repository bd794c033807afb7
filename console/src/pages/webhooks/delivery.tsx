/** One delivery: the request as it is sent, the answer, and each attempt. */
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
  Section,
  Shown,
  Table,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type EventType, type Health } from './api.ts'
import { RetryButton } from './deliveries.tsx'
import { EVENTS } from './events.tsx'
import { EndpointFrame } from './frame.tsx'
import { STATUS_MEANINGS, StatusBadge } from './words.tsx'

type Details = Answer<DeliveryDetails>

const REFRESH_MS = 2000

export default function DeliveryPage() {
  const [, params] = useRoute('/webhooks/:id/deliveries/:delivery')
  return (
    <EndpointFrame
      part="Delivery"
      up={{ to: `/webhooks/${params?.id}/deliveries`, label: 'Deliveries' }}
    >
      {(endpoint) => (
        <Delivery key={params?.delivery} endpoint={endpoint} id={params?.delivery ?? ''} />
      )}
    </EndpointFrame>
  )
}

function Delivery({ endpoint, id }: { endpoint: Health; id: string }) {
  const { id: org_id } = useOrg()
  const [isOver, setOver] = useState(false)
  const read = useRead<Details>(
    `${CONSOLE}/${endpoint.id}/deliveries/${id}`,
    { org_id },
    { refresh_ms: isOver ? false : REFRESH_MS },
  )
  const isFinished = read.data?.next_attempt_at === null
  if (isFinished !== isOver) setOver(isFinished)
  return (
    <Shown read={read} what="the delivery">
      {(delivery) => (
        <>
          <Standing delivery={delivery} />
          <Attempts delivery={delivery} />
          <Columns>
            <Request delivery={delivery} />
            <Response delivery={delivery} />
          </Columns>
        </>
      )}
    </Shown>
  )
}

function Standing({ delivery }: { delivery: Details }) {
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
          ['Sent when', EVENTS[event_type as EventType]?.when ?? null],
          ['Made', <Time key="made" at={delivery.created_at} as="exact" />],
          ['Attempts', `${attempts}`],
          [
            'Next attempt',
            is_under_way ? 'under way' : <Time key="next" at={next_attempt_at} as="exact" />,
          ],
          ['Event id', <Copyable key="event" text={event_id} />],
          ['Delivery id', <Copyable key="delivery" text={id} />],
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
        <p class="muted">None yet.</p>
      ) : (
        <Table
          label="Attempts"
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            { label: 'Ended', cell: ({ at }) => <Time at={at} as="exact" /> },
            { label: 'Outcome', cell: ({ error }) => <Outcome error={error} /> },
            { label: 'Reason', isWide: true, cell: (attempt) => reasonOf(attempt) },
            {
              label: 'Status code',
              isNumber: true,
              cell: ({ response_status }) => response_status ?? '–',
            },
            {
              label: 'Latency',
              isNumber: true,
              cell: ({ latency_ms }) => (latency_ms === null ? '–' : durationText(latency_ms)),
            },
          ]}
        />
      )}
      {attempts > tried.length && (
        <p class="muted">Of earlier attempts nothing is kept besides their number.</p>
      )}
    </Section>
  )
}

const Outcome = ({ error }: Pick<Attempt, 'error'>) =>
  error === null ? <Badge tone="good">delivered</Badge> : <Badge tone="bad">failed</Badge>

const reasonOf = ({ error, response_status }: Answer<Attempt>): string =>
  error ?? `Answered ${response_status}`

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
            {isRaw ? 'Indent the body' : 'Body as signed'}
          </Button>
        )
      }
    >
      <div class="stack">
        <CodeBlock text={lines.join('\n')} label="Request line and headers" />
        {body === null ? (
          <p class="muted">The event is not stored any more; it cannot be sent again.</p>
        ) : (
          <CodeBlock text={isRaw ? body : indented(body)} label="Request body" />
        )}
        <p class="muted">
          The body is the same text in every attempt. The signature is made anew for each and not
          kept.
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
        <p class="muted">There was no attempt yet.</p>
      ) : (
        <div class="stack">
          <p>
            {response_status === null ? (
              <>There was no complete answer: {error}</>
            ) : (
              <>
                Status <strong>{response_status}</strong>, last attempt
              </>
            )}
          </p>
          {response_body === null || response_body === '' ? (
            <p class="muted">Nothing was in its body.</p>
          ) : (
            <>
              <CodeBlock text={response_body} label="Response body" />
              <p class="muted">At most the first 2 KiB are kept.</p>
            </>
          )}
        </div>
      )}
    </Section>
  )
}

/** Numbers stay as they were written, also those that a script cannot hold. */
function indented(text: string): string {
  let depth = 0
  const pad = () => `\n${'  '.repeat(depth)}`
  return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token, at: number) => {
    if (token === '{' || token === '[') {
      const isEmpty = text[at + 1] === '}' || text[at + 1] === ']'
      depth += 1
      return isEmpty ? token : token + pad()
    }
    if (token === '}' || token === ']') {
      const isEmpty = text[at - 1] === '{' || text[at - 1] === '['
      depth -= 1
      return isEmpty ? token : pad() + token
    }
    if (token === ',') return token + pad()
    return token === ':' ? ': ' : token
  })
}
