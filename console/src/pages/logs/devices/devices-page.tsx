import type {
  KnownDevice,
  KnownDevicePage,
} from '../../../../../src/modules/edge/devices/schema.ts'
import type { Overview } from '../../../../../src/modules/edge/logs/schema.ts'
import { rowsOfPages } from '../../../api/lists.ts'
import { usePages, useRead } from '../../../api/read.ts'
import { Identifier, ListPage, numberText, Stat, Stats, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useScope } from '../../../shell/organization.ts'
import { Tags } from '../explorer/entry-dialog.tsx'
import { LogTabs } from '../tabs.tsx'
import { DeviceStatus } from './device-status.tsx'

const REFRESH_MS = 30_000
const KEEP = { keep_previous: true }
const STATUSES = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
]

export default function DevicesPage() {
  const view = useFilters({ status: '', text: '' })
  const query = { ...useScope(), ...view[0] }
  const pages = usePages<KnownDevicePage>('/console/api/edge/devices', query, KEEP)
  return (
    <ListPage
      title="Edge devices"
      lead="Devices that sent logs or heartbeats or were registered"
      tabs={
        <>
          <LogTabs />
          <Counts active_minutes={pages.data?.pages[0]?.active_minutes} />
        </>
      }
      list={rowsOfPages(pages, ({ devices }) => devices)}
      what="devices"
      label="Edge devices"
      view={view}
      filters={[
        { name: 'text', label: 'ID, name, firmware or tag', type: 'search', maxLength: 512 },
        { name: 'status', label: 'Status', options: STATUSES },
      ]}
      columns={COLUMNS}
      keyOf={({ device_id }) => device_id}
      empty={<p>A device appears here with its first log, registration or heartbeat.</p>}
    />
  )
}

function Counts({ active_minutes }: { active_minutes: number | undefined }) {
  const options = { refresh_ms: REFRESH_MS }
  const { data } = useRead<Overview>('/console/api/edge/overview', useScope(), options)
  const { total, active, with_errors } = data?.devices ?? {}
  const text = (count: number | undefined) => (count === undefined ? '–' : numberText(count))
  return (
    <Stats>
      <Stat label="Devices" value={text(total)} />
      <Stat
        label="Active"
        value={text(active)}
        note={active_minutes !== undefined && `seen in the last ${active_minutes} minutes`}
      />
      <Stat label="Inactive" value={text(data && data.devices.total - data.devices.active)} />
      <Stat label="With errors" value={text(with_errors)} note="ingested in recent days" />
    </Stats>
  )
}

const COLUMNS: readonly Column<KnownDevice>[] = [
  {
    label: 'Device',
    isWide: true,
    cell: ({ device_id, name }) => (
      <>
        <Identifier text={device_id}>
          {(text) => (
            <PageLink to="/logs/device" query={{ device_id }}>
              {text}
            </PageLink>
          )}
        </Identifier>
        {name !== null && <div class="muted">{name}</div>}
      </>
    ),
  },
  { label: 'Status', cell: (device) => <DeviceStatus device={device} /> },
  { label: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} as="age" /> },
  { label: 'Type', cell: ({ device_type }) => device_type },
  { label: 'Firmware', cell: ({ firmware_version }) => firmware_version },
  { label: 'Location', cell: ({ location }) => location?.name ?? location?.address },
  { label: 'Tags', cell: ({ tags }) => (tags.length === 0 ? null : <Tags tags={tags} />) },
]
