import { useParams } from 'wouter'
import type { Device, DeviceWithHistory } from '../../../../../src/modules/mdm/devices/schema.ts'
import { ConfirmButton, DetailPage } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { useMdmChange, useMdmRead } from '../names.ts'
import { Compliance, DeviceState, isLeaving } from '../states.tsx'
import { TestModeNotice } from '../tabs.tsx'
import { deviceTitle } from '../terms.ts'
import { CommandsSection } from './commands.tsx'
import { ComplianceSection } from './compliance.tsx'
import { DetailsSection, PolicySection } from './details.tsx'
import styles from './device.module.css'
import { InventorySection } from './inventory.tsx'
import { Timeline } from './timeline.tsx'

const PENDING_MS = 1500
const IDLE_MS = 10_000

export default function DevicePage() {
  const { id } = useParams<{ id: string }>()
  const read = useMdmRead<DeviceWithHistory>(`/v1/mdm/devices/${encodeURIComponent(id)}`, {
    refresh_ms: (loaded) => (loaded && isPending(loaded) ? PENDING_MS : IDLE_MS),
  })
  return (
    <DetailPage
      read={read}
      what="device"
      title={({ device }) => deviceTitle(device)}
      up={{ to: '/devices/fleet', label: 'Devices' }}
      lead={({ device }) => (
        <span class="row">
          <DeviceState device={device} />
          <Compliance device={device} />
        </span>
      )}
      actions={({ device }) => <DeviceActions device={device} />}
      toolbar={<TestModeNotice />}
    >
      {({ device, commands, events }) => (
        <div class={styles['parts']}>
          <div class={styles['status']}>
            <ComplianceSection device={device} />
            <CommandsSection device={device} commands={commands} />
          </div>
          <div class={styles['details']}>
            <PolicySection device={device} />
            <InventorySection device={device} />
            <DetailsSection device={device} />
          </div>
          <div class={styles['history']}>
            <Timeline events={events} />
          </div>
        </div>
      )}
    </DetailPage>
  )
}

const isPending = ({ device, commands }: DeviceWithHistory): boolean =>
  isLeaving(device) || commands.some(({ status }) => status === 'queued' || status === 'sent')

function DeviceActions({ device }: { device: Device }) {
  const { is_admin } = useOrg()
  const remove = useMdmChange(() => ({ method: 'DELETE', path: `/v1/mdm/devices/${device.id}` }), {
    toast: 'The device will be unenrolled and wiped',
  })
  if (!is_admin || device.deletion_requested_at !== null || device.state === 'deleted') return null
  return (
    <ConfirmButton
      label="Delete device"
      title={`Delete ${deviceTitle(device)}?`}
      action="Delete and wipe"
      typed="DELETE"
      change={remove}
    >
      <p>
        The device is removed from management and wiped. A company-owned device is reset to factory
        settings. On a personally owned device, the work profile is removed. This cannot be undone.
      </p>
      <p>Pending commands are canceled. The record of the device and its history remain.</p>
    </ConfirmButton>
  )
}
