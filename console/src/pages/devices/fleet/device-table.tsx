/** Devices as rows. */
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Table } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { Line, When } from '../line.tsx'
import { type Names, useNames } from '../names.ts'
import { Compliance, DeviceState } from '../states.tsx'
import { deviceTitle, words } from '../words.ts'
import styles from './device-table.module.css'

export type DeviceChoice = {
  /** Ids of devices. */
  chosen: readonly string[]
  onChoose: (chosen: readonly string[]) => void
}

type Props = {
  devices: readonly Device[]
  choice?: DeviceChoice | undefined
  /** Of the table, when the page has several. */
  label?: string
}

export function DeviceTable({ devices, choice, label = 'Devices' }: Props) {
  const names = useNames()
  return (
    <>
      {choice && <ChooseAll devices={devices} choice={choice} />}
      <Table
        label={label}
        rows={devices}
        keyOf={({ id }) => id}
        isCurrent={({ id }) => choice?.chosen.includes(id) === true}
        columns={[
          ...(choice ? [choiceColumn(choice)] : []),
          { label: 'Device', isWide: true, cell: (device) => <DeviceLink device={device} /> },
          { label: 'State', cell: (device) => <DeviceState device={device} /> },
          { label: 'Compliance', cell: (device) => <Compliance device={device} /> },
          { label: 'Policy', cell: (device) => <PolicyOf device={device} names={names} /> },
          {
            label: 'Group',
            cell: ({ group_id }) =>
              group_id === null ? (
                <span class="muted">–</span>
              ) : (
                <PageLink to={`/devices/groups/${group_id}`} class={styles['name'] ?? ''}>
                  {names.group(group_id)}
                </PageLink>
              ),
          },
          { label: 'Mode', cell: ({ management_mode }) => <Line>{words(management_mode)}</Line> },
          { label: 'Android', isNumber: true, cell: ({ os_version }) => os_version ?? '–' },
          {
            label: 'Last report',
            cell: ({ last_report_at }) => <When at={last_report_at} as="age" />,
          },
          { label: 'Enrolled', cell: ({ enrolled_at }) => <When at={enrolled_at} as="day" /> },
        ]}
      />
    </>
  )
}

function choiceColumn({ chosen, onChoose }: DeviceChoice) {
  return {
    label: 'Choose',
    hideLabel: true,
    cell: (device: Device) => (
      <input
        type="checkbox"
        aria-label={`Choose ${deviceTitle(device)}`}
        checked={chosen.includes(device.id)}
        disabled={device.state === 'deleted'}
        onChange={({ currentTarget }) =>
          onChoose(
            currentTarget.checked
              ? [...chosen, device.id]
              : chosen.filter((id) => id !== device.id),
          )
        }
      />
    ),
  }
}

function ChooseAll({ devices, choice }: { devices: readonly Device[]; choice: DeviceChoice }) {
  const { chosen, onChoose } = choice
  const ids = devices.filter(({ state }) => state !== 'deleted').map(({ id }) => id)
  const isAll = ids.length > 0 && ids.every((id) => chosen.includes(id))
  return (
    <label class={styles['all']}>
      <input
        type="checkbox"
        checked={isAll}
        disabled={ids.length === 0}
        onChange={() =>
          onChoose(
            isAll ? chosen.filter((id) => !ids.includes(id)) : [...new Set([...chosen, ...ids])],
          )
        }
      />{' '}
      Choose all that are shown
    </label>
  )
}

function DeviceLink({ device }: { device: Device }) {
  const { id, brand, model, serial_number, assigned_user_id } = device
  const title = deviceTitle(device)
  const make = [brand, model].filter(Boolean).join(' ')
  const details = [make, serial_number, assigned_user_id].filter((each) => each && each !== title)
  return (
    <>
      <PageLink to={`/devices/fleet/${id}`}>{title}</PageLink>
      {details.length > 0 && <div class="muted">{details.join(' · ')}</div>}
    </>
  )
}

function PolicyOf({ device, names }: { device: Device; names: Names }) {
  const { policy_id, applied_policy_id, policy_error } = device
  if (policy_id === null) return <span class="muted">–</span>
  return (
    <>
      <PageLink to={`/devices/policies/${policy_id}`} class={styles['name'] ?? ''}>
        {names.policy(policy_id)}
      </PageLink>
      {policy_error !== null ? (
        <div>
          <Badge tone="bad">refused</Badge>
        </div>
      ) : (
        applied_policy_id !== policy_id && (
          <div>
            <Badge tone="info">not applied yet</Badge>
          </div>
        )
      )}
    </>
  )
}
