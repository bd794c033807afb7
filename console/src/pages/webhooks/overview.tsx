/** How one endpoint fares: success rate and latency over time, and what it is. */
import type { Series, Statistics } from '../../../../src/modules/webhooks/history/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  Chart,
  Columns,
  Copyable,
  durationText,
  Empty,
  Facts,
  numberText,
  percentText,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Time,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type Health } from './api.ts'
import { EndpointFrame } from './frame.tsx'

const RANGES = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
  { value: '2160', label: 'Last 90 days' },
] as const
type Hours = (typeof RANGES)[number]['value']
const REFRESH_MS = 15_000

export default function EndpointPage() {
  return (
    <EndpointFrame part="Endpoint">
      {(endpoint) => <Overview key={endpoint.id} endpoint={endpoint} />}
    </EndpointFrame>
  )
}

function Overview({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const [{ hours }, set] = useFilters({ hours: '24' })
  const asked = RANGES.find(({ value }) => value === hours)?.value ?? '24'
  const query = { org_id, hours: asked }
  const options = { refresh_ms: REFRESH_MS, keep: true }
  const path = `${CONSOLE}/${endpoint.id}`
  const statistics = useRead<Answer<Statistics>>(`${path}/statistics`, query, options)
  const series = useRead<Answer<Series>>(`${path}/series`, query, options)
  return (
    <>
      <Section
        title="Deliveries"
        actions={
          <SelectField<Hours>
            label="Time"
            hideLabel
            value={asked}
            options={RANGES}
            onChange={(value) => set({ hours: value })}
          />
        }
      >
        <Shown read={statistics} what="statistics">
          {(found) => <Numbers statistics={found} endpoint={endpoint} />}
        </Shown>
        <Shown read={series} what="the course">
          {(found) => <Course series={found} />}
        </Shown>
      </Section>
      <Definition endpoint={endpoint} />
    </>
  )
}

function Numbers({ statistics, endpoint }: { statistics: Answer<Statistics>; endpoint: Health }) {
  const { by_status, counted, is_partial, success_rate, oldest_due_at } = statistics
  const { succeeded = 0, failed = 0, exhausted = 0, pending = 0 } = by_status
  const latency = (ms: number | null) => (ms === null ? '–' : durationText(ms))
  const link = (status: string, value: number) => (
    <PageLink to={`/webhooks/${endpoint.id}/deliveries`} query={{ status }}>
      {numberText(value)}
    </PageLink>
  )
  return (
    <Stats>
      <Stat
        label="Success rate"
        value={percentText(success_rate)}
        note={`of ${numberText(succeeded + failed + exhausted)} tried`}
      />
      <Stat
        label="Deliveries"
        value={numberText(counted)}
        {...(is_partial && { note: 'the newest; there are more' })}
      />
      <Stat label="Failed, tried again" value={link('failed', failed)} />
      <Stat label="Exhausted" value={link('exhausted', exhausted)} />
      <Stat
        label="Pending"
        value={link('pending', pending)}
        {...(oldest_due_at !== null && {
          note: (
            <>
              oldest due <Time at={oldest_due_at} as="age" />
            </>
          ),
        })}
      />
      <Stat label="Latency, median" value={latency(statistics.latency_p50_ms)} />
      <Stat label="Latency, p95" value={latency(statistics.latency_p95_ms)} />
    </Stats>
  )
}

const COUNTED = [
  { name: 'succeeded', colour: '--good' },
  { name: 'failed', colour: '--warn' },
  { name: 'exhausted', colour: '--bad' },
  { name: 'pending', colour: '--info' },
] as const
const LATENCIES = [
  { name: 'median', member: 'latency_p50_ms' },
  { name: 'p95', member: 'latency_p95_ms' },
] as const

function Course({ series }: { series: Answer<Series> }) {
  if (series.points.length === 0) {
    return (
      <Empty title="Nothing was to be delivered in this time">
        <p>Send a test event to see a first delivery.</p>
      </Empty>
    )
  }
  const [from, until] = [Date.parse(series.from), Date.parse(series.until)]
  const steps = Math.round((until - from) / series.step_ms)
  const times = Array.from({ length: steps }, (_, step) => from + step * series.step_ms)
  const known = new Map(series.points.map((point) => [Date.parse(point.at), point]))
  return (
    <Columns>
      <div>
        <h3>Deliveries by what became of them</h3>
        <Chart
          label="Deliveries by what became of them"
          kind="bars"
          times={times}
          range={[from, until]}
          series={COUNTED.map(({ name, colour }) => ({
            name,
            colour,
            values: times.map((time) => known.get(time)?.[name] ?? 0),
          }))}
        />
      </div>
      <div>
        <h3>Latency of the last attempt</h3>
        <Chart
          label="Latency of the last attempt"
          times={times}
          range={[from, until]}
          format={durationText}
          series={LATENCIES.map(({ name, member }) => ({
            name,
            values: times.map((time) => known.get(time)?.[member] ?? null),
          }))}
        />
      </div>
    </Columns>
  )
}

const Definition = ({ endpoint }: { endpoint: Health }) => (
  <Section title="Endpoint">
    <Facts
      facts={[
        ['URL', <Copyable key="url" text={endpoint.url} />],
        ['Id', <Copyable key="id" text={endpoint.id} />],
        [
          'Events',
          <ul key="events">
            {endpoint.events.map((event) => (
              <li key={event} class="mono">
                {event}
              </li>
            ))}
          </ul>,
        ],
        [
          'Signing secret',
          <span key="secret">
            <code>{endpoint.secret_prefix}…</code>{' '}
            <PageLink to={`/webhooks/${endpoint.id}/settings`}>Roll it</PageLink>
          </span>,
        ],
        ['Created', <Time key="created" at={endpoint.created_at} />],
        ['Changed', <Time key="changed" at={endpoint.updated_at} />],
      ]}
    />
  </Section>
)
