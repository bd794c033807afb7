/**
 * `devices.issueCommand`: the validation of commands and their execution by a phone
 * (https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand).
 */

import { isObject } from '../../src/platform/is-object.ts'
import { invalid } from '../google-errors.ts'
import { type Core, getDevice, secondsOf } from './core.ts'
import type { Call, Method } from './method.ts'
import { finish, newOperationName } from './operations.ts'
import type { Command, CommandError, Device, Json, Operation } from './resources.ts'
import type { Phone } from './state.ts'

export const COMMAND_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.devices.issueCommand': issueCommand,
}

const DEFAULT_DURATION = '600s'
const MAX_WIPE_REASON = 200

/** Parameters → type of a command that does not name its type. */
const TYPES_BY_PARAMETERS: Readonly<Record<string, string>> = {
  clearAppsDataParams: 'CLEAR_APP_DATA',
  startLostModeParams: 'START_LOST_MODE',
  stopLostModeParams: 'STOP_LOST_MODE',
  addEsimParams: 'ADD_ESIM',
  removeEsimParams: 'REMOVE_ESIM',
  requestDeviceInfoParams: 'REQUEST_DEVICE_INFO',
  wipeParams: 'WIPE',
}

function issueCommand(core: Core, { ids, body }: Call): Operation {
  const device = getDevice(core, ids[0] ?? '', ids[1] ?? '')
  const { name, userName } = device.resource
  const type = typeOf(body)
  checkParameters(type, body)
  const { newPassword: _secret, errorCode: _output, userName: _ignored, ...shown } = body
  const metadata: Operation['metadata'] = {
    '@type': 'type.googleapis.com/google.android.devicemanagement.v1.Command',
    ...shown,
    type,
    createTime: core.now().toISOString(),
    duration: durationOf(body),
    ...(userName !== undefined && { userName }),
  }
  const operation: Operation = { name: newOperationName(core, name), metadata, done: false }
  core.state.operations.set(operation.name, operation)
  core.state.pending_operations.add(operation.name)
  device.operations.push(operation.name)
  device.pending.push(operation.name)
  const key = `${name} ${type}`
  core.state.issued.set(key, (core.state.issued.get(key) ?? 0) + 1)
  if (!isAllowedFor(type, device.resource)) {
    return finish(core, operation, { error_code: 'MANAGEMENT_MODE' })
  }
  const phone = core.state.phones.get(device.phone_id)
  if (phone && isShortPin(phone, body['newPassword'])) {
    return finish(core, operation, { error_code: 'INVALID_VALUE' })
  }
  if (phone) core.wake(phone)
  return operation
}

function typeOf(body: Json): string {
  const implied = Object.entries(TYPES_BY_PARAMETERS)
    .filter(([parameters]) => body[parameters] !== undefined)
    .map(([, type]) => type)
  const named = body['type']
  const isNamed = typeof named === 'string' && named !== 'COMMAND_TYPE_UNSPECIFIED'
  const types = [...new Set([...(isNamed ? [named] : []), ...implied])]
  const [type] = types
  if (type === undefined) throw invalid('Request contains an invalid argument. type is required')
  if (types.length === 1) return type
  throw invalid(`Request contains an invalid argument. Parameters do not belong to ${type}`)
}

function durationOf(body: Json): string {
  const duration = body['duration']
  if (typeof duration !== 'string') return DEFAULT_DURATION
  if (secondsOf(duration) > 0) return duration
  throw invalid('Request contains an invalid argument. duration must be positive')
}

function checkParameters(type: string, body: Json): void {
  if (type === 'CLEAR_APP_DATA' && packagesOf(body).length === 0) {
    throw invalid(
      'Request contains an invalid argument. clear_apps_data_params.package_names is required',
    )
  }
  const isPassword = body['newPassword'] !== undefined || body['resetPasswordFlags'] !== undefined
  if (isPassword && type !== 'RESET_PASSWORD') {
    throw invalid(`Request contains an invalid argument. A password does not belong to ${type}`)
  }
  const wipe = body['wipeParams']
  const reason = isObject(wipe) && isObject(wipe['wipeReason']) ? wipe['wipeReason'] : {}
  const text = reason['defaultMessage']
  if (typeof text === 'string' && text.length > MAX_WIPE_REASON) {
    throw invalid(
      `Request contains an invalid argument. wipe_reason must be ${MAX_WIPE_REASON} characters or less`,
    )
  }
}

export const packagesOf = (command: Json): string[] => {
  const parameters = command['clearAppsDataParams']
  return isObject(parameters) ? ((parameters['packageNames'] ?? []) as string[]) : []
}

function isAllowedFor(type: string, { managementMode, ownership }: Device): boolean {
  const isCompanyOwned = ownership === 'COMPANY_OWNED'
  switch (type) {
    case 'REBOOT':
      return managementMode === 'DEVICE_OWNER'
    case 'RELINQUISH_OWNERSHIP':
      return managementMode === 'PROFILE_OWNER' && isCompanyOwned
    case 'START_LOST_MODE':
    case 'STOP_LOST_MODE':
      return isCompanyOwned
    default:
      return true
  }
}

/** Android 14 and later require a PIN of six digits. */
const isShortPin = ({ api_level }: Phone, password: unknown): boolean =>
  api_level >= 34 && typeof password === 'string' && /^\d{1,5}$/.test(password)

/** Command → the API level of Android that introduced it. */
const API_LEVELS: Readonly<Record<string, number>> = {
  REBOOT: 24,
  RELINQUISH_OWNERSHIP: 26,
  CLEAR_APP_DATA: 28,
  ADD_ESIM: 35,
  REMOVE_ESIM: 35,
}

/** Returns the error of a command that the phone cannot execute, else undefined. */
export function refusalOf({ api_level }: Phone, { type }: Command): CommandError | undefined {
  if (api_level < (API_LEVELS[type] ?? 0)) return 'API_LEVEL'
  // The emulated phones have no eSIM.
  return type === 'ADD_ESIM' || type === 'REMOVE_ESIM' ? 'UNSUPPORTED' : undefined
}

/** Returns the members that the phone adds to a command that it has executed. */
export function statusOf(phone: Phone, command: Command): Partial<Command> {
  const isLost = phone.applied_state === 'LOST'
  switch (command.type) {
    case 'CLEAR_APP_DATA': {
      const results = packagesOf(command).map((name) => [name, { clearingResult: 'SUCCESS' }])
      return { clearAppsDataStatus: { results: Object.fromEntries(results) as Json } }
    }
    case 'START_LOST_MODE':
      return { startLostModeStatus: { status: isLost ? 'ALREADY_IN_LOST_MODE' : 'SUCCESS' } }
    case 'STOP_LOST_MODE':
      return { stopLostModeStatus: { status: isLost ? 'SUCCESS' : 'NOT_IN_LOST_MODE' } }
    case 'REQUEST_DEVICE_INFO':
      return { requestDeviceInfoStatus: { status: 'UNSUPPORTED' } }
    default:
      return {}
  }
}
