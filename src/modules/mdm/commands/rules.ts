/** Refuses commands that are invalid or that the device would fail to run. Pure. */
import type { DeviceRow } from '../devices/record.ts'
import { type CommandRequest, PACKAGE_NAME } from './schema.ts'

/** The field and the message of a 400 response. */
export type RequestFault = { field: string; message: string }

export type CommandDevice = Pick<
  DeviceRow,
  'state' | 'deletion_requested_at' | 'management_mode' | 'ownership' | 'api_level'
>

const NAME = new RegExp(PACKAGE_NAME)

/** API levels of Android versions: https://developer.android.com/tools/releases/platforms */
const MINIMUM_ANDROID: Partial<
  Record<CommandRequest['type'], readonly [level: number, name: string]>
> = {
  REBOOT: [24, '7.0'],
  RELINQUISH_OWNERSHIP: [26, '8.0'],
  CLEAR_APP_DATA: [28, '9'],
}

/** Returns the first fault of the request that does not depend on the device. */
export function findRequestFault(request: CommandRequest): RequestFault | undefined {
  const { type, package_names: names = [], new_password } = request
  if (new_password !== undefined && type !== 'RESET_PASSWORD') {
    return { field: 'new_password', message: 'new_password is only allowed with RESET_PASSWORD' }
  }
  if (type !== 'CLEAR_APP_DATA') {
    if (request.package_names === undefined) return undefined
    return { field: 'package_names', message: 'package_names is only allowed with CLEAR_APP_DATA' }
  }
  if (names.length === 0) {
    const message = 'package_names must name at least one app for CLEAR_APP_DATA'
    return { field: 'package_names', message }
  }
  const wrong = names.findIndex((name) => !NAME.test(name))
  if (wrong < 0) return undefined
  const field = `package_names.${wrong}`
  return {
    field,
    message: `${field} must be the name of an Android package, such as com.example.till`,
  }
}

/** Returns the reason why the device cannot run such a command. */
export function findDeviceFault(
  device: CommandDevice,
  type: CommandRequest['type'],
): RequestFault | undefined {
  if (device.state === 'deleted' || device.deletion_requested_at !== null) {
    const state = device.state === 'deleted' ? 'no longer managed' : 'being deleted'
    const message = `device_id belongs to a device that is ${state}`
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
    return 'REBOOT requires a fully managed device, and this device has only a managed work profile; use LOCK'
  }
  if (type !== 'RELINQUISH_OWNERSHIP') return undefined
  if (management_mode === 'fully_managed') {
    return 'RELINQUISH_OWNERSHIP removes a work profile, and this device is fully managed; use WIPE'
  }
  if (ownership === 'personally_owned') {
    return 'RELINQUISH_OWNERSHIP requires a company-owned device, and this device is personally owned; use WIPE, which removes only the work profile'
  }
  return undefined
}

function versionFault(
  { api_level }: CommandDevice,
  type: CommandRequest['type'],
): string | undefined {
  const [level, name] = MINIMUM_ANDROID[type] ?? [0]
  if (api_level === null || api_level >= level) return undefined
  return `${type} requires Android ${name} or newer, and this device has an older version`
}
