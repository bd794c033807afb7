/** A device: what is known of it, whether it is there, and what it logged. */
import type { KnownDevice } from '../../../../../src/modules/edge/devices/schema.ts'
import type {
  DeviceError,
  Histogram as HistogramCounts,
  LogPage,
} from '../../../../../src/modules/edge/logs/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  Columns,
  Empty,
  Facts,
  numberText,
  Page,
  Section,
  Shown,
  Table,
  Time,
  Toolbar,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink, useGo } from '../../../shell/links.tsx'
import { Ago } from '../ago.tsx'
import { Tags } from '../explorer/entry-dialog.tsx'
import { LOGS_PATH, useLogScope } from '../explorer/scope.ts'
import { Histogram } from '../histogram/histogram.tsx'
import { RangeField, useDates } from '../range-field.tsx'
import { RecentLogs } from '../recent-logs.tsx'
import { DeviceStatus } from './devices-page.tsx'

const REFRESH_MS = 30_000
const LOGS_SHOWN = 20

export default function DevicePage() {
  const [{ device_id, range }, set] = useFilters({ device_id: '', range: '24h' })
  const scope = useLogScope()
  const read = useRead<KnownDevice>(
    '/console/api/edge/device',
    { ...scope, device_id },
    { refresh_ms: REFRESH_MS },
  )
  return (
    <Page
      title={device_id}
      lead={read.data?.name}
      up={{ to: '/logs/devices', label: 'Devices' }}
      actions={
        <>
          <PageLink to="/logs" query={{ device_id, range }} class="button">
            Logs of this device
          </PageLink>
          <PageLink to="/logs" query={{ device_id, live: '1' }} class="button">
            Live tail
          </PageLink>
          <PageLink to="/logs/alerts" query={{ new: '1', device_id }} class="button">
            Make an alert rule
          </PageLink>
        </>
      }
    >
      <Shown read={read} what="the device">
        {(device) => <DeviceFacts device={device} />}
      </Shown>
      <Toolbar label="What it logged">
        <RangeField range={range} onChange={(next) => set({ range: next })} />
      </Toolbar>
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
            ['Status', <DeviceStatus key="status" device={device} />],
            [
              device.status === 'active' ? 'Last heard from' : 'Silent since',
              <span key="last">
                <Time at={device.last_seen_at} as="age" /> (<Time at={device.last_seen_at} />)
              </span>,
            ],
            ['First heard from', <Time key="first" at={device.first_seen_at} />],
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
        Logs, registrations and heartbeats all count as being heard from. Of heartbeats, the time of
        the last one is kept.
      </p>
    </Section>
  )
}

function Activity({ deviceId, range }: { deviceId: string; range: string }) {
  const go = useGo()
  const asked = { ...useLogScope(), ...useDates(range), device_id: deviceId }
  const counts = useRead<HistogramCounts>('/console/api/edge/histogram', asked, { keep: true })
  const errors = useRead<{ errors: DeviceError[] }>('/console/api/edge/device/errors', asked)
  const logs = useRead<LogPage>(LOGS_PATH, { ...asked, limit: LOGS_SHOWN })
  return (
    <>
      <Section title="Logs over time">
        <Shown read={counts} what="counts">
          {(given) => (
            <Histogram
              counts={given}
              onSelect={(time) => go('/logs', { device_id: deviceId, ...time })}
            />
          )}
        </Shown>
      </Section>
      <Section title="Errors by group">
        <Shown read={errors} what="errors">
          {({ errors: groups }) => <ErrorTable errors={groups} range={range} />}
        </Shown>
      </Section>
      <Section title={`The newest ${LOGS_SHOWN} logs`}>
        <Shown read={logs} what="logs">
          {(page) => <RecentLogs label="Newest logs of this device" logs={page.logs} />}
        </Shown>
      </Section>
    </>
  )
}

function ErrorTable({ errors, range }: { errors: readonly DeviceError[]; range: string }) {
  if (errors.length === 0) return <Empty title="No errors in this time" />
  return (
    <Table
      label="Errors of this device"
      rows={errors}
      keyOf={({ fingerprint }) => fingerprint}
      columns={[
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
        { label: 'Errors', isNumber: true, cell: ({ count }) => numberText(count) },
        { label: 'Last seen', cell: ({ last_seen }) => <Ago at={last_seen} /> },
      ]}
    />
  )
}
