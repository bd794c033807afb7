import type { KnownDevice } from '../../../../../src/modules/edge/devices/schema.ts'
import type {
  DeviceError,
  Histogram as HistogramCounts,
  LogPage,
} from '../../../../../src/modules/edge/logs/schema.ts'
import { mapRead } from '../../../api/lists.ts'
import { useRead } from '../../../api/read.ts'
import {
  Columns,
  Facts,
  ListSection,
  Loaded,
  Page,
  Section,
  Time,
} from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink, useGo } from '../../../shell/links.tsx'
import { useScope } from '../../../shell/organization.ts'
import { Tags } from '../explorer/entry-dialog.tsx'
import { Histogram } from '../histogram/histogram.tsx'
import { levelLayers } from '../histogram/layers.ts'
import { HISTOGRAM_PATH, LOGS_PATH } from '../queries.ts'
import { RangeToolbar, useDates } from '../range-toolbar.tsx'
import { RecentLogs } from '../recent-logs.tsx'
import { DeviceStatus } from './device-status.tsx'

const REFRESH_MS = 30_000
const LOGS_SHOWN = 20

export default function DevicePage() {
  const [{ device_id, range }, set] = useFilters({ device_id: '', range: '24h' })
  const query = { ...useScope(), device_id }
  const options = { refresh_ms: REFRESH_MS }
  const read = useRead<KnownDevice>('/console/api/edge/device', query, options)
  return (
    <Page
      title={device_id}
      lead={read.data?.name}
      up={{ to: '/logs/devices', label: 'Edge devices' }}
      actions={
        <>
          <PageLink to="/logs" query={{ device_id, range }} class="button">
            View logs
          </PageLink>
          <PageLink to="/logs" query={{ device_id, live: '1' }} class="button">
            Live tail
          </PageLink>
          <PageLink to="/logs/alerts" query={{ new: '1', device_id }} class="button">
            Create alert rule
          </PageLink>
        </>
      }
    >
      <Loaded read={read} what="the device">
        {(device) => <DeviceFacts device={device} />}
      </Loaded>
      <RangeToolbar label="Logs of this device" range={range} set={set} />
      <Activity deviceId={device_id} range={range} />
    </Page>
  )
}

function DeviceFacts({ device }: { device: KnownDevice }) {
  const { location, tags } = device
  return (
    <Section title="Device" hideTitle>
      <Columns>
        <Facts
          facts={[
            ['Status', <DeviceStatus device={device} />],
            [
              device.status === 'active' ? 'Last seen' : 'Inactive since',
              <span>
                <Time at={device.last_seen_at} as="age" /> (<Time at={device.last_seen_at} />)
              </span>,
            ],
            ['First seen', <Time at={device.first_seen_at} />],
          ]}
        />
        <Facts
          facts={[
            ['Type', device.device_type],
            ['Firmware', device.firmware_version],
            ['Location', location?.name],
            ['Address', location?.address],
            ['Tags', tags.length === 0 ? null : <Tags tags={tags} />],
          ]}
        />
      </Columns>
      <p class="muted">
        Logs, registrations and heartbeats all update “last seen”. Only the time of the last
        heartbeat is stored.
      </p>
    </Section>
  )
}

function Activity({ deviceId, range }: { deviceId: string; range: string }) {
  const go = useGo()
  const query = { ...useScope(), ...useDates(range), device_id: deviceId }
  const counts = useRead<HistogramCounts>(HISTOGRAM_PATH, query, { keep_previous: true })
  const errors = useRead<{ errors: DeviceError[] }>('/console/api/edge/device/errors', query)
  const logs = useRead<LogPage>(LOGS_PATH, { ...query, limit: LOGS_SHOWN })
  return (
    <>
      <Section title="Logs over time">
        <Loaded read={counts} what="the histogram">
          {(loaded) => (
            <Histogram
              counts={levelLayers(loaded)}
              onSelect={(period) => go('/logs', { device_id: deviceId, ...period })}
            />
          )}
        </Loaded>
      </Section>
      <ListSection
        title="Errors by group"
        label="Errors of this device"
        list={mapRead(errors, (loaded) => loaded.errors)}
        what="errors"
        columns={errorColumns(range)}
        keyOf={({ fingerprint }) => fingerprint}
        emptyTitle="No errors in this period"
      />
      <RecentLogs label="Latest logs of this device" read={logs} />
    </>
  )
}

const errorColumns = (range: string): readonly Column<DeviceError>[] => [
  {
    label: 'Error',
    isWide: true,
    cell: ({ fingerprint, error_type, message }) => (
      <PageLink to={`/logs/errors/${encodeURIComponent(fingerprint)}`} query={{ range }}>
        {error_type !== null && <strong>{error_type} </strong>}
        {message.slice(0, 300) || '(empty message)'}
      </PageLink>
    ),
  },
  { label: 'Errors', isNumber: true, cell: ({ count }) => count },
  { label: 'Last seen', cell: ({ last_seen }) => <Time at={last_seen} as="age" /> },
]
