/** The views that the control interface returns: of phones, of enterprises, and of the whole state. */
import { type Core, idOf } from './core.ts'
import { findEnrolled } from './phones.ts'
import type { Device, Operation } from './resources.ts'
import type { EnterpriseRecord, Phone } from './state.ts'

export type PhoneView = Omit<Phone, 'enterprise_id' | 'device_id'> & {
  /** `enterprises/LC…`; null while the phone is not managed. */
  readonly enterprise: string | null
  /** `enterprises/LC…/devices/…`; null while the phone is not managed. */
  readonly device_name: string | null
  /** The resource of the API; null when the phone is not managed, or its device was deleted. */
  readonly device: Device | null
  readonly pending_commands: readonly ReturnType<typeof pendingCommand>[]
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

export const enterpriseView = (enterprise: EnterpriseRecord) => ({
  name: enterprise.resource.name,
  display_name: enterprise.resource.enterpriseDisplayName ?? null,
  device_count: enterprise.devices.size,
  policy_count: enterprise.policies.size,
})

const pendingCommand = ({ name, metadata }: Operation) => ({
  id: idOf(name),
  name,
  type: metadata.type,
  create_time: metadata.createTime,
  command: metadata,
})

export function truthOf(core: Core) {
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
    /** Number of commands that `issueCommand` has accepted, including those of deleted devices. */
    issued: [...state.issued].map(([key, count]) => {
      const [device = '', type = ''] = key.split(' ')
      return { device, type, count }
    }),
  }
}
