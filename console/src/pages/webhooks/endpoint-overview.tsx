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
  Loaded,
  numberText,
  percentText,
  Section,
  SelectField,
  Stat,
  Stats,
  stepText,
  Time,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type Health } from './api.ts'
import { endpointPage } from './endpoint-page.tsx'

const RANGES = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
  { value: '2160', label: 'Last 90 days' },
] as const
const REFRESH_MS = 15_000

export default endpointPage('Endpoint', Overview)

function Overview({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const [{ hours }, set] = useFilters({ hours: '24' })
  const selected = RANGES.find(({ value }) => value === hours)?.value ?? '24'
  const query = { org_id, hours: selected }
  const options = { refresh_ms: REFRESH_MS, keep_previous: true }
  const path = `${CONSOLE}/${endpoint.id}`
  const statistics = useRead<Answer<Statistics>>(`${path}/statistics`, query, options)
  const series = useRead<Answer<Series>>(`${path}/series`, query, options)
  return (
    <>
      <Section
        title="Deliveries"
        actions={
          <SelectField
            label="Period"
            hideLabel
            value={selected}
            options={RANGES}
            onChange={(value) => set({ hours: value })}
          />
        }
      >
        <Loaded read={statistics} what="statistics">
          {(found) => <Numbers statistics={found} endpoint={endpoint} />}
        </Loaded>
        <Loaded read={series} what="the chart">
          {(found) => <Charts series={found} />}
        </Loaded>
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
        note={`of ${numberText(succeeded + failed + exhausted)} attempted`}
      />
      <Stat
        label="Deliveries"
        value={numberText(counted)}
        {...(is_partial && { note: 'only the newest are counted' })}
      />
      <Stat label="Failed, will retry" value={link('failed', failed)} />
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
      <Stat label="Median latency" value={latency(statistics.latency_p50_ms)} />
      <Stat label="p95 latency" value={latency(statistics.latency_p95_ms)} />
    </Stats>
  )
}

const COUNTED = [
  { name: 'succeeded', color: '--success' },
  { name: 'failed', color: '--warning' },
  { name: 'exhausted', color: '--danger' },
  { name: 'pending', color: '--info' },
] as const
const LATENCIES = [
  { name: 'median', member: 'latency_p50_ms' },
  { name: 'p95', member: 'latency_p95_ms' },
] as const

function Charts({ series }: { series: Answer<Series> }) {
  if (series.points.length === 0) {
    return (
      <Empty title="No deliveries in this period" picture="chart">
        <p>Send a test event to create a delivery.</p>
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
        <h3>Deliveries by status</h3>
        <Chart
          label="Deliveries by status"
          unit={`deliveries per ${stepText(series.step_ms)}`}
          kind="bars"
          times={times}
          range={[from, until]}
          series={COUNTED.map(({ name, color }) => ({
            name,
            color,
            values: times.map((time) => known.get(time)?.[name] ?? 0),
          }))}
        />
      </div>
      <div>
        <h3>Latency of the last attempt</h3>
        <Chart
          label="Latency of the last attempt"
          unit="latency"
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
        ['ID', <Copyable key="id" text={endpoint.id} />],
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
            <PageLink to={`/webhooks/${endpoint.id}/settings`}>Roll secret</PageLink>
          </span>,
        ],
        ['Created', <Time key="created" at={endpoint.created_at} />],
        ['Updated', <Time key="updated" at={endpoint.updated_at} />],
      ]}
    />
  </Section>
)
