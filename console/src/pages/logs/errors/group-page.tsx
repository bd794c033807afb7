/** A group of errors: how often, since when, where, and what its errors look like. */
import { useParams } from 'wouter'
import type {
  ErrorGroupDetails,
  ErrorTrends,
  LogPage,
} from '../../../../../src/modules/edge/logs/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  Bar,
  Chart,
  CodeBlock,
  Columns,
  Copyable,
  Facts,
  numberText,
  Page,
  Section,
  Shown,
  Stat,
  Stats,
  Table,
  Time,
  Toolbar,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { Ago } from '../ago.tsx'
import { LOGS_PATH, useLogScope } from '../explorer/scope.ts'
import { RangeField, useDates } from '../range-field.tsx'
import { RecentLogs } from '../recent-logs.tsx'

const SAMPLES = 10

export default function GroupPage() {
  const { fingerprint } = useParams<{ fingerprint: string }>()
  const [{ range }, set] = useFilters({ range: '24h' })
  const asked = { ...useLogScope(), ...useDates(range) }
  const group = useRead<ErrorGroupDetails>(
    `/console/api/edge/errors/${encodeURIComponent(fingerprint)}`,
    asked,
    { keep: true },
  )
  const type = group.data?.error_type
  return (
    <Page
      title={type ?? 'Error group'}
      up={{ to: '/logs/errors', label: 'Error groups' }}
      actions={
        <>
          <PageLink to="/logs" query={{ range, error_fingerprint: fingerprint }} class="button">
            All logs of this group
          </PageLink>
          <PageLink
            to="/logs/alerts"
            query={{ new: '1', error_fingerprint: fingerprint }}
            class="button"
          >
            Make an alert rule
          </PageLink>
        </>
      }
    >
      <Toolbar label="Error group">
        <RangeField range={range} onChange={(next) => set({ range: next })} />
      </Toolbar>
      <Shown read={group} what="the error group">
        {(found) => <Group group={found} range={range} asked={asked} />}
      </Shown>
    </Page>
  )
}

type GroupProps = {
  group: ErrorGroupDetails
  range: string
  asked: Readonly<Record<string, string>>
}

function Group({ group, range, asked }: GroupProps) {
  const { fingerprint, count, affected_devices, first_seen, last_seen, environments } = group
  const logs = useRead<LogPage>(LOGS_PATH, {
    ...asked,
    error_fingerprint: fingerprint,
    limit: SAMPLES,
  })
  return (
    <>
      <Section title="In this time" hideTitle>
        <Stats>
          <Stat label="Errors" value={numberText(count)} />
          <Stat label="Devices" value={numberText(affected_devices)} />
          <Stat label="Last seen" value={<Time at={last_seen} as="age" />} />
        </Stats>
        <Trend fingerprint={fingerprint} asked={asked} />
      </Section>
      <Columns>
        <Section title="Newest error">
          <CodeBlock text={group.message} label="Message" />
          <Facts
            facts={[
              ['Error type', group.error_type],
              ['First seen in this time', <Time key="first" at={first_seen} as="exact" />],
              ['Last seen', <Time key="last" at={last_seen} as="exact" />],
              ['Environments', environments.join(', ') || null],
              ['Fingerprint', <Copyable key="fingerprint" text={fingerprint} />],
            ]}
          />
        </Section>
        <Section title="Affected devices">
          <DeviceTable group={group} range={range} />
        </Section>
      </Columns>
      <Section title={`The newest ${SAMPLES}`}>
        <Shown read={logs} what="logs">
          {(page) => <RecentLogs label="Newest logs of this group" logs={page.logs} />}
        </Shown>
      </Section>
    </>
  )
}

function Trend({ fingerprint, asked }: { fingerprint: string; asked: GroupProps['asked'] }) {
  const read = useRead<ErrorTrends>('/console/api/edge/errors/trends', {
    ...asked,
    fingerprints: fingerprint,
  })
  return (
    <Shown read={read} what="the trend">
      {({ from, step_ms, trends: [trend] }) => {
        const first = Math.floor(Date.parse(from) / step_ms) * step_ms
        const values = trend?.counts ?? []
        return (
          <Chart
            label="Errors of this group over time"
            kind="bars"
            height={160}
            times={values.map((_count, index) => first + index * step_ms)}
            series={[{ name: 'Errors', values, colour: '--bad' }]}
          />
        )
      }}
    </Shown>
  )
}

function DeviceTable({ group, range }: { group: ErrorGroupDetails; range: string }) {
  const { devices, affected_devices, fingerprint } = group
  const most = devices[0]?.count ?? 1
  return (
    <>
      <Table
        label="Affected devices"
        rows={devices}
        keyOf={({ device_id }) => device_id}
        columns={[
          {
            label: 'Device',
            isWide: true,
            cell: ({ device_id }) => (
              <PageLink to="/logs/device" query={{ device_id }}>
                {device_id}
              </PageLink>
            ),
          },
          {
            label: 'Errors',
            isNumber: true,
            cell: ({ count, device_id }) => (
              <PageLink to="/logs" query={{ range, device_id, error_fingerprint: fingerprint }}>
                {numberText(count)}
              </PageLink>
            ),
          },
          {
            label: 'Share',
            cell: ({ count, device_id }) => (
              <Bar
                label={`${numberText(count)} on ${device_id}`}
                value={count}
                max={most}
                tone="bad"
              />
            ),
          },
          { label: 'Last', cell: ({ last_seen }) => <Ago at={last_seen} /> },
        ]}
      />
      {affected_devices > devices.length && (
        <p class="muted">
          The {numberText(devices.length)} with the most errors of {numberText(affected_devices)}
        </p>
      )}
    </>
  )
}
