import type { Command } from '../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../src/modules/mdm/devices/schema.ts'
import type { Policy } from '../../../../src/modules/mdm/policies/schema.ts'
import { Badge, Time } from '../../components/index.ts'
import {
  COMMAND_STATUSES,
  COMPLIANCE_STATES,
  DEVICE_STATES,
  PUBLISH_STATES,
  termText,
} from './terms.ts'

export const isLeaving = ({ deletion_requested_at, state }: Device): boolean =>
  deletion_requested_at !== null && state !== 'deleted'

export const DeviceState = ({ device }: { device: Device }) => (
  <>
    <Badge tone={DEVICE_STATES[device.state]}>{termText(device.state)}</Badge>
    {isLeaving(device) && (
      <>
        {' '}
        <Badge tone="warn">being deleted</Badge>
      </>
    )}
  </>
)

export function Compliance({ device }: { device: Device }) {
  const { compliance_state, grace_period_expires_at } = device
  return (
    <>
      <Badge tone={COMPLIANCE_STATES[compliance_state]}>{termText(compliance_state)}</Badge>
      {grace_period_expires_at !== null && (
        <div class="muted">
          ends <Time at={grace_period_expires_at} as="age" />
        </div>
      )}
    </>
  )
}

export const CommandStatus = ({ status }: Pick<Command, 'status'>) => (
  <Badge tone={COMMAND_STATUSES[status]}>{termText(status)}</Badge>
)

export const PublishState = ({ publish_state }: Pick<Policy, 'publish_state'>) => (
  <Badge tone={PUBLISH_STATES[publish_state]}>{publish_state}</Badge>
)

export const MODE_COLUMN = {
  label: 'Mode',
  cell: ({ management_mode }: Pick<Device, 'management_mode'>) => (
    <span class="nowrap">{termText(management_mode)}</span>
  ),
}
