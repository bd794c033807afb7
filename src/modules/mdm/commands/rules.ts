/** Which commands make sense for which devices. Pure; what would fail on the device is refused here. */
import type { DeviceRow } from '../devices/record.ts'
import type { CommandRequest } from './schema.ts'

/** What is at fault in a request, as a client gets it. */
export type Refusal = { field: string; message: string }

export type CommandDevice = Pick<
  DeviceRow,
  'state' | 'deletion_requested_at' | 'management_mode' | 'ownership' | 'api_level'
>

/** https://developer.android.com/guide/topics/manifest/manifest-element#package */
const PACKAGE_NAME = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/

/** By Android API level: https://developer.android.com/tools/releases/platforms */
const LEAST_ANDROID: Partial<
  Record<CommandRequest['type'], readonly [level: number, name: string]>
> = {
  REBOOT: [24, '7.0'],
  RELINQUISH_OWNERSHIP: [26, '8.0'],
  CLEAR_APP_DATA: [28, '9'],
}

/** What is wrong whatever the device is. */
export function faultOf(request: CommandRequest): Refusal | undefined {
  const { type, package_names: names = [], new_password } = request
  if (new_password !== undefined && type !== 'RESET_PASSWORD') {
    return { field: 'new_password', message: 'new_password is of RESET_PASSWORD only' }
  }
  if (type !== 'CLEAR_APP_DATA') {
    if (request.package_names === undefined) return undefined
    return { field: 'package_names', message: 'package_names is of CLEAR_APP_DATA only' }
  }
  if (names.length === 0) {
    const message = 'package_names must name the apps whose data CLEAR_APP_DATA is to clear'
    return { field: 'package_names', message }
  }
  const wrong = names.findIndex((name) => !PACKAGE_NAME.test(name))
  if (wrong < 0) return undefined
  const field = `package_names.${wrong}`
  return { field, message: `${field} must be the name of an Android package` }
}

/** What is wrong with this device. */
export function unfitnessOf(
  device: CommandDevice,
  type: CommandRequest['type'],
): Refusal | undefined {
  if (device.state === 'deleted' || device.deletion_requested_at !== null) {
    const message = `device_id is of a device that ${device.state === 'deleted' ? 'is not managed any more' : 'is being deleted'}`
    return { field: 'device_id', message }
  }
  const message = modeFault(device, type) ?? versionFault(device, type)
  return message === undefined ? undefined : { field: 'type', message }
}

function modeFault(
  { management_mode, ownership }: CommandDevice,
  type: CommandRequest['type'],
): string | undefined {
  if (type === 'REBOOT' && management_mode !== 'fully_managed') {
    return 'REBOOT is for fully managed devices, and of this one only the work profile is managed; use LOCK'
  }
  if (type !== 'RELINQUISH_OWNERSHIP') return undefined
  if (management_mode === 'fully_managed') {
    return 'RELINQUISH_OWNERSHIP removes a work profile, and this device is fully managed; use WIPE'
  }
  if (ownership === 'personally_owned') {
    return 'RELINQUISH_OWNERSHIP is for devices of the company, and this one is personally owned; use WIPE, which removes only the work profile'
  }
  return undefined
}

function versionFault(
  { api_level }: CommandDevice,
  type: CommandRequest['type'],
): string | undefined {
  const [level, name] = LEAST_ANDROID[type] ?? [0]
  if (api_level === null || api_level >= level) return undefined
  return `${type} needs Android ${name} or newer, and this device has an older one`
}
