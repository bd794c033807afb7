import type { Command } from '../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../src/modules/mdm/devices/schema.ts'
import type { Policy } from '../../../../src/modules/mdm/policies/schema.ts'
import type { ListedToken } from '../../../../src/modules/mdm/tokens/schema.ts'
import { nameIn, type Tone } from '../../components/index.ts'

export const DEVICE_STATES: Record<Device['state'], Tone> = {
  active: 'good',
  provisioning: 'info',
  disabled: 'warn',
  lost: 'bad',
  preparing_for_migration: 'info',
  deactivated_by_device_finance: 'bad',
  deleted: 'neutral',
}
export const COMPLIANCE_STATES: Record<Device['compliance_state'], Tone> = {
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
export const TOKEN_STATES: Record<ListedToken['state'], { tone: Tone; label: string }> = {
  active: { tone: 'good', label: 'active' },
  used: { tone: 'neutral', label: 'used up' },
  ended: { tone: 'neutral', label: 'ended' },
  expired: { tone: 'neutral', label: 'expired' },
}
export const MODES: readonly { value: Device['management_mode']; label: string }[] = [
  { value: 'fully_managed', label: 'fully managed' },
  { value: 'work_profile', label: 'work profile' },
]

type CommandTerms = { label: string; description: string; is_destructive?: true }

export const COMMANDS: Record<Command['type'], CommandTerms> = {
  LOCK: {
    label: 'Lock',
    description: 'Locks the screen. A work profile with its own lock is locked instead.',
  },
  REBOOT: { label: 'Reboot', description: 'Restarts the device.' },
  RESET_PASSWORD: {
    label: 'Reset password',
    description: 'Sets a new password, or removes the password if the field is empty.',
  },
  CLEAR_APP_DATA: {
    label: 'Clear app data',
    description: 'Clears the data of the listed apps. This cannot be undone.',
    is_destructive: true,
  },
  RELINQUISH_OWNERSHIP: {
    label: 'Relinquish ownership',
    description:
      'Removes the work profile and leaves the device to its user. This cannot be undone.',
    is_destructive: true,
  },
  WIPE: {
    label: 'Wipe',
    description:
      'Resets a company-owned device to factory settings. On a personally owned device, removes the work profile. This cannot be undone.',
    is_destructive: true,
  },
}

export const COMMAND_TYPES = Object.keys(COMMANDS) as Command['type'][]

/** `grace_period` as "grace period". */
export const termText = (term: string): string => nameIn(SPELLINGS, term).toLowerCase()

const SPELLINGS = { non_compliant: 'non-compliant', cancelled: 'canceled' }

/** The name of a device, or else what identifies it best. */
export const deviceTitle = ({ name, serial_number, model, id }: Device): string =>
  name || serial_number || model || shortId(id)

export const shortId = (id: string): string => `…${id.slice(-8)}`
