/** States of devices, commands and policies as badges. */
import type { Command } from '../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../src/modules/mdm/devices/schema.ts'
import type { Policy } from '../../../../src/modules/mdm/policies/schema.ts'
import { Badge, Time } from '../../components/index.ts'
import { Line } from './line.tsx'
import {
  COMMAND_STATUSES,
  COMPLIANCE_STATES,
  DEVICE_STATES,
  PUBLISH_STATES,
  words,
} from './words.ts'

export function DeviceState({ device }: { device: Device }) {
  const { state, deletion_requested_at } = device
  const isLeaving = deletion_requested_at !== null && state !== 'deleted'
  return (
    <>
      <Badge tone={DEVICE_STATES[state]}>{words(state)}</Badge>
      {isLeaving && (
        <>
          {' '}
          <Badge tone="warn">being deleted</Badge>
        </>
      )}
    </>
  )
}

export function Compliance({ device }: { device: Device }) {
  const { compliance_state, grace_period_expires_at } = device
  return (
    <>
      <Badge tone={COMPLIANCE_STATES[compliance_state]}>{words(compliance_state)}</Badge>
      {grace_period_expires_at !== null && (
        <div class="muted">
          <Line>
            ends <Time at={grace_period_expires_at} as="age" />
          </Line>
        </div>
      )}
    </>
  )
}

export const CommandStatus = ({ status }: Pick<Command, 'status'>) => (
  <Badge tone={COMMAND_STATUSES[status]}>{status}</Badge>
)

export const PublishState = ({ publish_state }: Pick<Policy, 'publish_state'>) => (
  <Badge tone={PUBLISH_STATES[publish_state]}>{publish_state}</Badge>
)
