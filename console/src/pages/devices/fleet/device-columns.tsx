import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { PageLink } from '../../../shell/links.tsx'
import type { Names } from '../names.ts'
import { Compliance, DeviceState, MODE_COLUMN } from '../states.tsx'
import { deviceTitle } from '../terms.ts'
import styles from './device-columns.module.css'

export const deviceColumns = (names: Names): readonly Column<Device>[] => [
  { label: 'Device', isWide: true, cell: (device) => <DeviceLink device={device} /> },
  { label: 'State', cell: (device) => <DeviceState device={device} /> },
  { label: 'Compliance', cell: (device) => <Compliance device={device} /> },
  { label: 'Policy', cell: (device) => policyCell(device, names) },
  {
    label: 'Group',
    cell: ({ group_id }) =>
      group_id && (
        <PageLink to={`/devices/groups/${group_id}`} class={styles['name'] ?? ''}>
          {names.group(group_id)}
        </PageLink>
      ),
  },
  MODE_COLUMN,
  { label: 'Android', isNumber: true, cell: ({ os_version }) => os_version },
  { label: 'Last report', cell: ({ last_report_at }) => <Time at={last_report_at} as="age" /> },
  { label: 'Enrolled', cell: ({ enrolled_at }) => <Time at={enrolled_at} as="day" /> },
]

function DeviceLink({ device }: { device: Device }) {
  const { id, brand, model, serial_number, assigned_user_id } = device
  const title = deviceTitle(device)
  const hardware = [brand, model].filter(Boolean).join(' ')
  const details = [serial_number, hardware, assigned_user_id].filter(
    (each) => each && each !== title,
  )
  return (
    <>
      <PageLink to={`/devices/fleet/${id}`}>{title}</PageLink>
      {details.length > 0 && (
        <div class="muted one-line" title={details.join(' · ')}>
          {details.join(' · ')}
        </div>
      )}
    </>
  )
}

function policyCell({ policy_id, applied_policy_id, policy_error }: Device, names: Names) {
  if (policy_id === null) return null
  return (
    <>
      <PageLink to={`/devices/policies/${policy_id}`} class={styles['name'] ?? ''}>
        {names.policy(policy_id)}
      </PageLink>
      {policy_error !== null ? (
        <Badge tone="bad">rejected</Badge>
      ) : (
        applied_policy_id !== policy_id && <Badge tone="info">not applied yet</Badge>
      )}
    </>
  )
}
