/** How states are called and coloured on the pages of managed devices. */
import type { Command } from '../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../src/modules/mdm/devices/schema.ts'
import type { Policy } from '../../../../src/modules/mdm/policies/schema.ts'
import type { Tone } from '../../components/index.ts'

type DeviceState = Device['state']
type Compliance = Device['compliance_state']
type Mode = Device['management_mode']
type CommandType = Command['type']

export const DEVICE_STATES: Record<DeviceState, Tone> = {
  active: 'good',
  provisioning: 'info',
  disabled: 'warn',
  lost: 'bad',
  preparing_for_migration: 'info',
  deactivated_by_device_finance: 'bad',
  deleted: 'neutral',
}
export const COMPLIANCE_STATES: Record<Compliance, Tone> = {
  compliant: 'good',
  grace_period: 'warn',
  non_compliant: 'bad',
  unknown: 'neutral',
}
export const COMMAND_STATUSES: Record<Command['status'], Tone> = {
  queued: 'neutral',
  sent: 'info',
  acknowledged: 'good',
  failed: 'bad',
  expired: 'warn',
  cancelled: 'neutral',
}
export const PUBLISH_STATES: Record<Policy['publish_state'], Tone> = {
  waiting: 'info',
  published: 'good',
  rejected: 'bad',
}
export const MODES: readonly { value: Mode; label: string }[] = [
  { value: 'fully_managed', label: 'fully managed' },
  { value: 'work_profile', label: 'work profile' },
]

export type CommandWords = {
  label: string
  /** What it does, as the operations of the service tell it. */
  does: string
  is_destructive: boolean
}

export const COMMANDS: Record<CommandType, CommandWords> = {
  LOCK: {
    label: 'Lock',
    does: 'Locks the screen; of a work profile with a lock of its own, that.',
    is_destructive: false,
  },
  REBOOT: { label: 'Reboot', does: 'Restarts the device.', is_destructive: false },
  RESET_PASSWORD: {
    label: 'Reset password',
    does: 'Sets a new password, or none when it is left empty.',
    is_destructive: false,
  },
  CLEAR_APP_DATA: {
    label: 'Clear app data',
    does: 'Clears the data of the apps that are named. It cannot be brought back.',
    is_destructive: true,
  },
  RELINQUISH_OWNERSHIP: {
    label: 'Relinquish ownership',
    does: 'Removes the work profile and leaves the phone to its user. It cannot be taken back.',
    is_destructive: true,
  },
  WIPE: {
    label: 'Wipe',
    does: 'Resets a company-owned device to factory settings; of a personally owned one removes the work profile. It cannot be taken back.',
    is_destructive: true,
  },
}

export const COMMAND_TYPES = Object.keys(COMMANDS) as CommandType[]

/** `grace_period` is `grace period`. */
export const words = (term: string): string =>
  term === 'non_compliant' ? 'non-compliant' : term.replaceAll('_', ' ').toLowerCase()

/** What a person would call it. */
export const deviceTitle = ({
  name,
  serial_number,
  model,
  id,
}: Pick<Device, 'name' | 'serial_number' | 'model' | 'id'>): string =>
  name || serial_number || model || shortId(id)

export const shortId = (id: string): string => `…${id.slice(-8)}`
