/** Devices that log, the one heard from last first. */
import { useEffect, useState } from 'preact/hooks'
import type {
  KnownDevice,
  KnownDevicePage,
} from '../../../../../src/modules/edge/devices/schema.ts'
import type { Overview } from '../../../../../src/modules/edge/logs/schema.ts'
import { usePages, useRead } from '../../../api/read.ts'
import {
  Badge,
  Button,
  Empty,
  More,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Table,
  TextField,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { Ago } from '../ago.tsx'
import { Tags } from '../explorer/entry-dialog.tsx'
import { useLogScope } from '../explorer/scope.ts'
import { LogTabs } from '../tabs.tsx'

const DEFAULTS = { status: '', text: '' }
const REFRESH_MS = 30_000
const STATUSES = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Silent' },
]

export default function DevicesPage() {
  const [filters, set] = useFilters(DEFAULTS)
  const [text, setText] = useState(filters.text)
  useEffect(() => setText(filters.text), [filters.text])
  const scope = useLogScope()
  const pages = usePages<KnownDevicePage>('/console/api/edge/devices', { ...scope, ...filters })
  const devices = pages.data?.pages.flatMap((page) => page.devices) ?? []
  return (
    <Page title="Devices" lead="Every device that has logged, was registered or sent a heartbeat">
      <LogTabs />
      <Counts scope={scope} minutes={pages.data?.pages[0]?.active_minutes} />
      <form
        class="toolbar"
        role="search"
        aria-label="Devices"
        onSubmit={(event) => {
          event.preventDefault()
          set({ text: text.trim() })
        }}
      >
        <TextField
          label="Id, name, firmware or tag"
          type="search"
          value={text}
          onInput={setText}
          maxLength={512}
        />
        <SelectField
          label="Status"
          value={filters.status}
          options={STATUSES}
          onChange={(status) => set({ status })}
        />
        <Button type="submit">Search</Button>
      </form>
      <Section title="List of devices" hideTitle>
        <Shown read={pages} what="devices">
          {() =>
            devices.length === 0 && !pages.hasNextPage ? (
              <Empty title="No devices">
                <p>
                  {filters.text === '' && filters.status === ''
                    ? 'A device shows here with its first log, registration or heartbeat.'
                    : 'Take away a filter to see others.'}
                </p>
              </Empty>
            ) : (
              <>
                <DeviceTable devices={devices} />
                <More pages={pages} shown={devices.length} what="devices" />
              </>
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}

type CountsProps = { scope: { org_id: string; mode: string }; minutes: number | undefined }

function Counts({ scope, minutes }: CountsProps) {
  const read = useRead<Overview>('/console/api/edge/overview', scope, { refresh_ms: REFRESH_MS })
  if (!read.data) return null
  const { devices } = read.data
  return (
    <Stats>
      <Stat label="Devices" value={numberText(devices.total)} />
      <Stat
        label="Active"
        value={numberText(devices.active)}
        note={minutes !== undefined && `heard from within ${minutes} minutes`}
      />
      <Stat label="Silent" value={numberText(devices.total - devices.active)} />
      <Stat
        label="With errors"
        value={numberText(devices.with_errors)}
        note="received in the last days"
      />
    </Stats>
  )
}

function DeviceTable({ devices }: { devices: readonly KnownDevice[] }) {
  return (
    <Table
      label="Devices"
      rows={devices}
      keyOf={({ device_id }) => device_id}
      columns={[
        {
          label: 'Device',
          isWide: true,
          cell: ({ device_id, name }) => (
            <>
              <PageLink to="/logs/device" query={{ device_id }}>
                {device_id}
              </PageLink>
              {name !== null && <div class="muted">{name}</div>}
            </>
          ),
        },
        { label: 'Status', cell: (device) => <DeviceStatus device={device} /> },
        { label: 'Heard from', cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
        { label: 'Type', cell: ({ device_type }) => device_type ?? <span class="muted">–</span> },
        {
          label: 'Firmware',
          cell: ({ firmware_version }) => firmware_version ?? <span class="muted">–</span>,
        },
        {
          label: 'Location',
          cell: ({ location }) =>
            location?.name ?? location?.address ?? <span class="muted">–</span>,
        },
        {
          label: 'Tags',
          cell: ({ tags }) =>
            tags.length === 0 ? <span class="muted">–</span> : <Tags tags={tags} />,
        },
      ]}
    />
  )
}

export function DeviceStatus({ device }: { device: Pick<KnownDevice, 'status'> }) {
  return device.status === 'active' ? (
    <Badge tone="good">active</Badge>
  ) : (
    <Badge tone="warn">silent</Badge>
  )
}
