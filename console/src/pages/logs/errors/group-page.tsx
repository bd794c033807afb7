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
  DetailPage,
  Facts,
  Loaded,
  numberText,
  Section,
  Stat,
  Stats,
  stepText,
  Table,
  Time,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useScope } from '../../../shell/organization.ts'
import { LOGS_PATH, TRENDS_PATH } from '../queries.ts'
import { RangeToolbar, useDates } from '../range-toolbar.tsx'
import { RecentLogs } from '../recent-logs.tsx'
import { MergedGroupsSection } from './merges.tsx'
import { GroupState } from './state.tsx'

const LOGS_SHOWN = 10

export default function GroupPage() {
  const { fingerprint } = useParams<{ fingerprint: string }>()
  const [{ range }, set] = useFilters({ range: '24h' })
  const query = { ...useScope(), ...useDates(range) }
  const group = useRead<ErrorGroupDetails>(
    `/console/api/edge/errors/${encodeURIComponent(fingerprint)}`,
    query,
    { keep_previous: true },
  )
  return (
    <DetailPage
      read={group}
      what="error group"
      title={({ error_type }) => error_type ?? 'Error group'}
      up={{ to: '/logs/errors', label: 'Error groups' }}
      actions={() => (
        <>
          <PageLink to="/logs" query={{ range, error_fingerprint: fingerprint }} class="button">
            View logs
          </PageLink>
          <PageLink
            to="/logs/alerts"
            query={{ new: '1', error_fingerprint: fingerprint }}
            class="button"
          >
            Create alert rule
          </PageLink>
        </>
      )}
      toolbar={<RangeToolbar label="Error group" range={range} set={set} />}
    >
      {(found) => <Group group={found} range={range} query={query} />}
    </DetailPage>
  )
}

type GroupProps = {
  group: ErrorGroupDetails
  range: string
  query: Readonly<Record<string, string>>
}

function Group({ group, range, query }: GroupProps) {
  const { fingerprint, count, affected_devices, first_seen, last_seen } = group
  const { environments, versions } = group
  const logged = { ...query, error_fingerprint: fingerprint, limit: LOGS_SHOWN }
  const logs = useRead<LogPage>(LOGS_PATH, logged)
  return (
    <>
      <Section title="Errors in this period" hideTitle>
        <Stats>
          <Stat label="Errors" value={numberText(count)} />
          <Stat label="Devices" value={numberText(affected_devices)} />
          <Stat label="Last seen" value={<Time at={last_seen} as="age" />} />
        </Stats>
        <Trend fingerprint={fingerprint} query={query} />
      </Section>
      <GroupState fingerprint={fingerprint} count={count} query={query} />
      <Columns>
        <Section title="Latest error">
          <CodeBlock text={group.message} label="Message" />
          <Facts
            facts={[
              ['Error type', group.error_type],
              ['First seen in this period', <Time at={first_seen} as="exact" />],
              ['Last seen', <Time at={last_seen} as="exact" />],
              ['First version in this period', versions.first],
              ['Last version in this period', versions.last],
              ['Environments', environments.join(', ') || null],
              ['Fingerprint', <Copyable text={fingerprint} />],
            ]}
          />
        </Section>
        <Section title="Affected devices">
          <DeviceTable group={group} range={range} />
        </Section>
      </Columns>
      <MergedGroupsSection fingerprint={fingerprint} query={query} />
      <RecentLogs label="Latest logs of this error group" read={logs} />
    </>
  )
}

function Trend({ fingerprint, query }: { fingerprint: string; query: GroupProps['query'] }) {
  const read = useRead<ErrorTrends>(TRENDS_PATH, { ...query, fingerprints: fingerprint })
  return (
    <Loaded read={read} what="the trend">
      {({ from, step_ms, trends: [trend] }) => {
        const first = Math.floor(Date.parse(from) / step_ms) * step_ms
        const values = trend?.counts ?? []
        return (
          <Chart
            label="Errors of this group over time"
            unit={`errors per ${stepText(step_ms)}`}
            kind="bars"
            height={160}
            times={values.map((_count, index) => first + index * step_ms)}
            series={[{ name: 'Errors', values, color: '--danger' }]}
          />
        )
      }}
    </Loaded>
  )
}

function DeviceTable({ group, range }: { group: ErrorGroupDetails; range: string }) {
  const { devices, affected_devices, fingerprint } = group
  const max = devices[0]?.count ?? 1
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
                max={max}
                tone="bad"
              />
            ),
          },
          { label: 'Last seen', cell: ({ last_seen }) => <Time at={last_seen} as="age" /> },
        ]}
      />
      {affected_devices > devices.length && (
        <p class="muted">
          Showing the {numberText(devices.length)} of {numberText(affected_devices)} devices with
          the most errors
        </p>
      )}
    </>
  )
}
