/**
 * The states of a command: queued, sent, then one of acknowledged, failed, expired or `cancelled`, which
 * are final. Pure; results of the provider become states here.
 */
import { storable } from '../../../platform/postgres/storable.ts'
import type { WireOperation } from '../providers/port.ts'
import type { CommandStatus } from '../tables.ts'
import type { CommandRow } from './record.ts'

export type FinalStatus = Exclude<CommandStatus, 'queued' | 'sent'>
export type CommandEnd = { status: FinalStatus; error: string | null }

export const isFinal = (status: CommandStatus): status is FinalStatus =>
  status !== 'queued' && status !== 'sent'

/**
 * Reads a result in the order that Google documents: the status of the command type, the error code,
 * the error of the operation.
 * https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand
 *
 * @returns undefined until the device has responded
 */
export function endOfOperation({ done, metadata, error }: WireOperation): CommandEnd | undefined {
  if (done !== true) return undefined
  const uncleared = unclearedPackages(metadata?.clearAppsDataStatus?.results)
  if (uncleared !== undefined) return failed(`App data was not cleared: ${uncleared}`)
  const code = metadata?.errorCode
  if (isSpecified(code)) return failed(ERROR_TEXTS.get(code) ?? `The device reported ${code}`)
  if (typeof error === 'object' && error !== null) return endOfError(error)
  return { status: 'acknowledged', error: null }
}

/** Returns the final state of a command when its device is no longer managed. */
export function endWithDevice({
  type,
  status,
  unsure_since,
}: Pick<CommandRow, 'type' | 'status' | 'unsure_since'>): CommandEnd {
  if (status === 'sent' && ENDS_MANAGEMENT.has(type)) return { status: 'acknowledged', error: null }
  const isUnsure = status === 'sent' || unsure_since !== null
  return { status: 'cancelled', error: isUnsure ? UNMANAGED_UNSURE : UNMANAGED }
}

/** Commands that end the management of a device, whose response may therefore never arrive. */
const ENDS_MANAGEMENT: ReadonlySet<string> = new Set(['WIPE', 'RELINQUISH_OWNERSHIP'])
const UNMANAGED = 'The device is no longer managed'
const UNMANAGED_UNSURE = `${UNMANAGED}; it is unknown whether it ran the command`

const ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ['UNKNOWN', 'The device failed for an unknown reason (UNKNOWN)'],
  ['API_LEVEL', 'The Android version of the device does not support this command (API_LEVEL)'],
  [
    'MANAGEMENT_MODE',
    'The management mode of the device does not support this command (MANAGEMENT_MODE)',
  ],
  ['INVALID_VALUE', 'The device refused a value of the command (INVALID_VALUE)'],
  ['UNSUPPORTED', 'The device does not support this command (UNSUPPORTED)'],
])
const UNSPECIFIED = 'COMMAND_ERROR_CODE_UNSPECIFIED'

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const CANCELLED = 1
const DEADLINE_EXCEEDED = 4
const EXPIRED_ERROR = 'The device did not receive the command in time'
const CANCELLED_ERROR = 'The command was canceled at the provider'

function endOfError(error: NonNullable<WireOperation['error']>): CommandEnd {
  if (error.code === CANCELLED) return { status: 'cancelled', error: CANCELLED_ERROR }
  if (error.code === DEADLINE_EXCEEDED) return { status: 'expired', error: EXPIRED_ERROR }
  return failed(isSpecified(error.message) ? error.message : 'The provider gave no reason')
}

const failed = (error: string): CommandEnd => ({ status: 'failed', error: storable(error) })

const isSpecified = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text !== UNSPECIFIED

/** @returns undefined when all were cleared, or no result is known */
function unclearedPackages(results: unknown): string | undefined {
  if (typeof results !== 'object' || results === null) return undefined
  const uncleared = Object.entries(results)
    .map(([name, result]) => ({ name, result: clearingResult(result) }))
    .filter(({ result }) => result !== 'SUCCESS')
  if (uncleared.length === 0) return undefined
  return uncleared.map(({ name, result }) => `${name} (${result})`).join(', ')
}

function clearingResult(result: unknown): string {
  const value = (result as { clearingResult?: unknown } | null | undefined)?.clearingResult
  return typeof value === 'string' ? value : 'no result'
}
