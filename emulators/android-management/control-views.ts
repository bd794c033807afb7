/** What the control interface shows: phones as they are, and the truth about everything. */
import type { Core } from './core.ts'
import { idOf } from './core.ts'
import { findEnrolled } from './phones.ts'
import type { Command, Device, Enterprise, Operation, Policy } from './resources.ts'
import type { EnterpriseRecord, Phone } from './state.ts'

export type PendingCommand = {
  /** The last step of `name`. */
  readonly id: string
  readonly name: string
  readonly type: string
  readonly create_time: string
  readonly command: Command
}

/** What a phone knows of itself, and what the API shows of it. */
export type PhoneView = Omit<Phone, 'enterprise_id' | 'device_id'> & {
  /** `enterprises/LC…`; null while nobody manages it. */
  readonly enterprise: string | null
  /** `enterprises/LC…/devices/…`; null while nobody manages it. */
  readonly device_name: string | null
  /** As the API has it; null when it is not a device, or one that was deleted. */
  readonly device: Device | null
  readonly pending_commands: readonly PendingCommand[]
}

export type EnterpriseView = {
  readonly name: string
  readonly display_name: string | null
  readonly device_count: number
  readonly policy_count: number
}

export type Truth = {
  readonly now: string
  readonly enterprises: readonly Enterprise[]
  readonly policies: readonly Policy[]
  readonly devices: readonly Device[]
  readonly phones: readonly Omit<PhoneView, 'device'>[]
  readonly operations: readonly Operation[]
  /** Commands that `issueCommand` has accepted, also of devices that are gone. */
  readonly issued: readonly {
    readonly device: string
    readonly type: string
    readonly count: number
  }[]
}

export function phoneView(core: Core, phone: Phone): PhoneView {
  const { enterprise_id, device_id, ...rest } = phone
  const enrolled = findEnrolled(core, phone)
  const enterprise = enterprise_id === null ? null : `enterprises/${enterprise_id}`
  return {
    ...rest,
    enterprise,
    device_name: device_id === null ? null : `${enterprise}/devices/${device_id}`,
    device: enrolled?.device.resource ?? null,
    pending_commands: (enrolled?.device.pending ?? []).flatMap((name) => {
      const operation = core.state.operations.get(name)
      return operation === undefined ? [] : [pendingCommand(operation)]
    }),
  }
}

export const enterpriseView = (enterprise: EnterpriseRecord): EnterpriseView => ({
  name: enterprise.resource.name,
  display_name: enterprise.resource.enterpriseDisplayName ?? null,
  device_count: enterprise.devices.size,
  policy_count: enterprise.policies.size,
})

const pendingCommand = ({ name, metadata }: Operation): PendingCommand => ({
  id: idOf(name),
  name,
  type: metadata.type,
  create_time: metadata.createTime,
  command: metadata,
})

export function truthOf(core: Core): Truth {
  const { state } = core
  const enterprises = [...state.enterprises.values()]
  return {
    now: core.now().toISOString(),
    enterprises: enterprises.map(({ resource }) => resource),
    policies: enterprises.flatMap(({ policies }) =>
      [...policies.values()].map(({ policy }) => policy),
    ),
    devices: enterprises.flatMap(({ devices }) =>
      [...devices.values()].map(({ resource }) => resource),
    ),
    phones: [...state.phones.values()].map((phone) => {
      const { device: _device, ...view } = phoneView(core, phone)
      return view
    }),
    operations: [...state.operations.values()],
    issued: [...state.issued].map(([key, count]) => {
      const [device = '', type = ''] = key.split(' ')
      return { device, type, count }
    }),
  }
}
