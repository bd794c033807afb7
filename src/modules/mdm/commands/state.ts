/**
 * What becomes of a command: queued → sent → acknowledged, failed, expired or cancelled. Pure; what
 * the provider says is read here, and an end that was reached is never left again.
 */
import { storable } from '../../../platform/postgres/storable.ts'
import type { CommandStatus } from '../../../platform/postgres/tables/mdm.ts'
import type { WireOperation } from '../providers/port.ts'
import type { CommandRow } from './record.ts'

export type FinalStatus = Exclude<CommandStatus, 'queued' | 'sent'>
export type CommandEnd = { status: FinalStatus; error: string | null }

export const isFinal = (status: CommandStatus): status is FinalStatus =>
  status !== 'queued' && status !== 'sent'

/**
 * In the order in which Google says that results are to be read: the status of the kind of command,
 * its error code, the error of the operation.
 * https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand
 *
 * @returns undefined while the device has not answered
 */
export function endOfOperation({ done, metadata, error }: WireOperation): CommandEnd | undefined {
  if (done !== true) return undefined
  const uncleared = unclearedPackages(metadata?.clearAppsDataStatus?.results)
  if (uncleared !== undefined) return failed(`Not cleared: ${uncleared}`)
  const code = metadata?.errorCode
  if (isSaid(code)) return failed(ERROR_TEXTS.get(code) ?? `The device answered ${code}`)
  if (typeof error === 'object' && error !== null) return endOfError(error)
  return { status: 'acknowledged', error: null }
}

/** What is left to say of a command whose device is not managed any more. */
export function endWithDevice({
  type,
  status,
  unsure_since,
}: Pick<CommandRow, 'type' | 'status' | 'unsure_since'>): CommandEnd {
  if (status === 'sent' && ENDS_MANAGEMENT.has(type)) return { status: 'acknowledged', error: null }
  const isUnsure = status === 'sent' || unsure_since !== null
  return { status: 'cancelled', error: isUnsure ? GONE_UNSURE : GONE }
}

/** Which a device carries out by leaving; its answer may never come. */
const ENDS_MANAGEMENT: ReadonlySet<string> = new Set(['WIPE', 'RELINQUISH_OWNERSHIP'])
const GONE = 'The device is not managed any more'
const GONE_UNSURE = `${GONE}; whether it carried this out is not known`

const ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ['UNKNOWN', 'The device failed for an unknown reason (UNKNOWN)'],
  ['API_LEVEL', 'The Android version of the device does not support this command (API_LEVEL)'],
  ['MANAGEMENT_MODE', 'The management mode of the device does not support it (MANAGEMENT_MODE)'],
  ['INVALID_VALUE', 'The device refused a value of the command (INVALID_VALUE)'],
  ['UNSUPPORTED', 'The device does not support this command (UNSUPPORTED)'],
])
const UNSPECIFIED = 'COMMAND_ERROR_CODE_UNSPECIFIED'

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const CANCELLED = 1
const DEADLINE_EXCEEDED = 4
const EXPIRED_ERROR = 'The device did not take it in time'
const CANCELLED_ERROR = 'It was cancelled at the provider'

function endOfError(error: NonNullable<WireOperation['error']>): CommandEnd {
  if (error.code === CANCELLED) return { status: 'cancelled', error: CANCELLED_ERROR }
  if (error.code === DEADLINE_EXCEEDED) return { status: 'expired', error: EXPIRED_ERROR }
  return failed(isSaid(error.message) ? error.message : 'The provider gave no reason')
}

const failed = (error: string): CommandEnd => ({ status: 'failed', error: storable(error) })

const isSaid = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text !== UNSPECIFIED

/** @returns undefined when all are, or nothing is said about any */
function unclearedPackages(results: unknown): string | undefined {
  if (typeof results !== 'object' || results === null) return undefined
  const uncleared = Object.entries(results)
    .map(([name, result]) => ({ name, result: clearingResult(result) }))
    .filter(({ result }) => result !== 'SUCCESS')
  if (uncleared.length === 0) return undefined
  return uncleared.map(({ name, result }) => `${name} (${result})`).join(', ')
}

function clearingResult(result: unknown): string {
  const said = (result as { clearingResult?: unknown } | null | undefined)?.clearingResult
  return typeof said === 'string' ? said : 'no result'
}
