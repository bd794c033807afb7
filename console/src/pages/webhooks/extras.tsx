import { useState } from 'preact/hooks'
import type { EventFilter } from '../../../../src/modules/webhooks/extras/schema.ts'
import type { PreviewedEvent } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Actions,
  Badge,
  Button,
  Empty,
  Form,
  FormActions,
  Section,
  SelectField,
  Table,
  TextField,
  Time,
} from '../../components/index.ts'
import { CONSOLE, type Health, useWebhookChange } from './api.ts'
import { EMPTY_ROW, FilterFields, filterOf, type Row, rowsOf } from './filter-fields.tsx'
import { usePortal } from './scope.ts'

/** What endpoints have beyond the documented fields. */
export function Extras({ endpoint }: { endpoint: Health }) {
  return (
    <>
      <FilterSection endpoint={endpoint} />
      <HeadersSection endpoint={endpoint} />
      <RateSection endpoint={endpoint} />
    </>
  )
}

const CONDITIONS_MAX = 10
const HEADERS_MAX = 10

const useExtras = (
  endpoint: Health,
  body: () => object,
  options: { toast: string; onSuccess?: (saved: Health) => void },
) =>
  useWebhookChange<Health>(
    () => ({ method: 'PATCH', path: `${CONSOLE}/${endpoint.id}`, body: body() }),
    options,
  )

function FilterSection({ endpoint }: { endpoint: Health }) {
  const [match, setMatch] = useState<EventFilter['match']>(endpoint.filter?.match ?? 'all')
  const [rows, setRows] = useState<Row[]>(rowsOf(endpoint.filter))
  const filter = () => filterOf(match, rows)
  const isInPortal = usePortal() !== undefined
  const save = useExtras(endpoint, () => ({ filter: filter() }), { toast: 'Filter saved' })
  const preview = useWebhookChange<Answer<PreviewedEvent>[]>(
    () => ({
      method: 'POST',
      path: `${CONSOLE}/preview`,
      body: { mode: endpoint.mode, events: endpoint.events, filter: filter() },
    }),
    {},
  )
  return (
    <Section title="Filter">
      <Form onSubmit={() => save.mutate()} error={save.error ?? preview.error}>
        <p class="field-hint">
          Only events that pass are delivered. Without conditions, all selected events are.
        </p>
        <FilterFields match={match} onMatch={setMatch} rows={rows} onChange={setRows} />
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save filter
          </Button>
          <Button
            onClick={() => setRows([...rows, EMPTY_ROW])}
            disabled={rows.length === CONDITIONS_MAX}
          >
            Add condition
          </Button>
          {!isInPortal && (
            <Button busy={preview.isPending} onClick={() => preview.mutate()}>
              Preview
            </Button>
          )}
        </Actions>
      </Form>
      {preview.data && <Preview events={preview.data} />}
    </Section>
  )
}

function Preview({ events }: { events: readonly Answer<PreviewedEvent>[] }) {
  if (events.length === 0) {
    return <Empty title="No recent events of the selected types" />
  }
  return (
    <Table
      label="Newest events"
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Result',
          cell: ({ passes }) => (
            <Badge tone={passes ? 'good' : 'neutral'}>{passes ? 'Delivered' : 'Held back'}</Badge>
          ),
        },
        { label: 'Event', isWide: true, cell: ({ type }) => <code>{type}</code> },
        { label: 'Time', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
      ]}
    />
  )
}

type Header = { name: string; value: string; isStored: boolean }

const storedHeaders = ({ header_names }: Health): Header[] =>
  header_names.map((name) => ({ name, value: '', isStored: true }))

function HeadersSection({ endpoint }: { endpoint: Health }) {
  const [headers, setHeaders] = useState(storedHeaders(endpoint))
  const change = (index: number, given: Partial<Header>) =>
    setHeaders(headers.map((one, at) => (at === index ? { ...one, ...given } : one)))
  const save = useExtras(
    endpoint,
    () => ({
      headers: headers.map(({ name, value }) => (value === '' ? { name } : { name, value })),
    }),
    {
      toast: 'Headers saved',
      onSuccess: (saved) => setHeaders(storedHeaders(saved)),
    },
  )
  return (
    <Section title="Headers">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <p class="field-hint">
          Sent with every delivery. Values are encrypted and are not shown again; an empty value
          leaves the stored one.
        </p>
        {headers.map((header, index) => (
          <div class="row" key={index}>
            <TextField
              label={`Name of header ${index + 1}`}
              value={header.name}
              readOnly={header.isStored}
              onChange={(name) => change(index, { name })}
              required
            />
            <TextField
              label={`Value of header ${index + 1}`}
              value={header.value}
              placeholder={header.isStored ? '••••••••' : ''}
              autocomplete="off"
              required={!header.isStored}
              onChange={(value) => change(index, { value })}
            />
            <Button
              size="small"
              aria-label={`Remove header ${index + 1}`}
              onClick={() => setHeaders(headers.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
        ))}
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save headers
          </Button>
          <Button
            disabled={headers.length === HEADERS_MAX}
            onClick={() => setHeaders([...headers, { name: '', value: '', isStored: false }])}
          >
            Add header
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}

function RateSection({ endpoint }: { endpoint: Health }) {
  const [rate, setRate] = useState(endpoint.rate_per_second?.toString() ?? '')
  const save = useExtras(endpoint, () => ({ rate_per_second: rate === '' ? null : Number(rate) }), {
    toast: 'Rate saved',
  })
  return (
    <Section title="Rate">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <TextField
          label="Deliveries per second"
          name="rate_per_second"
          type="number"
          min={1}
          max={1000}
          value={rate}
          onChange={setRate}
          hint="Empty for no limit. Deliveries beyond it wait; none is lost."
        />
        <FormActions kind="plain" busy={save.isPending}>
          Save rate
        </FormActions>
      </Form>
    </Section>
  )
}

const OVERLAPS = [
  { value: '0', label: 'None: the old secret stops immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const
export type Overlap = (typeof OVERLAPS)[number]['value']

export const OverlapField = (props: { value: Overlap; onChange: (value: Overlap) => void }) => (
  <SelectField
    label="Overlap"
    name="overlap_hours"
    options={OVERLAPS}
    {...props}
    hint="Until it ends, the header webhook-signature has signatures of both secrets. X-Service-Signature has one of the new secret."
  />
)
