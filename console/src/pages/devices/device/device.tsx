/** One device: what it is, whether it complies, what was done to it, and what can be done. */
import { useEffect, useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { DeviceWithHistory } from '../../../../../src/modules/mdm/devices/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Shown } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { Compliance, DeviceState } from '../states.tsx'
import { deviceTitle } from '../words.ts'
import { CommandsSection } from './commands.tsx'
import { ComplianceSection } from './compliance.tsx'
import { DeviceActions } from './deletion.tsx'
import styles from './device.module.css'
import { FactsSection, PolicySection } from './facts.tsx'
import { NotedSection } from './noted.tsx'
import { Timeline } from './timeline.tsx'

/** While something is on its way, and else. */
const BUSY_MS = 1500
const CALM_MS = 10_000

export default function DevicePage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const [refresh_ms, setRefresh] = useState(CALM_MS)
  const read = useRead<DeviceWithHistory>(
    `/v1/mdm/devices/${encodeURIComponent(id)}`,
    { org_id },
    { refresh_ms },
  )
  const isBusy = read.data !== undefined && isUnderWay(read.data)
  useEffect(() => setRefresh(isBusy ? BUSY_MS : CALM_MS), [isBusy])
  const device = read.data?.device
  return (
    <DevicesPage
      isInner
      title={device ? deviceTitle(device) : 'Device'}
      up={{ to: '/devices/fleet', label: 'Devices' }}
      {...(device && {
        lead: (
          <span class="row">
            <DeviceState device={device} />
            <Compliance device={device} />
          </span>
        ),
        actions: <DeviceActions device={device} />,
      })}
    >
      <Shown read={read} what="the device">
        {({ device: found, commands, events }) => (
          <div class={styles['parts']}>
            <div class={styles['now']}>
              <ComplianceSection device={found} />
              <CommandsSection device={found} commands={commands} />
            </div>
            <div class={styles['facts']}>
              <PolicySection device={found} />
              <NotedSection device={found} />
              <FactsSection device={found} />
            </div>
            <div class={styles['then']}>
              <Timeline events={events} />
            </div>
          </div>
        )}
      </Shown>
    </DevicesPage>
  )
}

function isUnderWay({ device, commands }: DeviceWithHistory): boolean {
  const isLeaving = device.deletion_requested_at !== null && device.state !== 'deleted'
  return isLeaving || commands.some(({ status }) => status === 'queued' || status === 'sent')
}
