/** Operations: the state of commands from their issue until the phone executes them or they expire. */

import { ApiError, found, invalid } from '../google-errors.ts'
import { type Core, getDevice, secondsOf } from './core.ts'
import type { Call, Method } from './method.ts'
import { pageOf } from './paging.ts'
import type { Command, CommandError, Json, Operation } from './resources.ts'

export const OPERATION_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.devices.operations.get': (core, { ids }) => getOperation(core, ids),
  'enterprises.devices.operations.list': listOperations,
  'enterprises.devices.operations.cancel': (core, { ids }) => {
    const operation = getOperation(core, ids)
    if (!operation.done) {
      finish(core, operation, { error: { code: 1, message: 'The command was canceled.' } })
    }
    return {}
  },
}

/** Returns an operation, also one of a deleted device. */
function getOperation(core: Core, [enterprise, device, id]: readonly string[]): Operation {
  expireOperations(core)
  const name = `enterprises/${enterprise}/devices/${device}/operations/${id}`
  return found(core.state.operations.get(name))
}

function listOperations(core: Core, { ids, query }: Call): Json {
  if (query.get('returnPartialSuccess') === 'true') {
    throw invalid('Request contains an invalid argument. return_partial_success is not supported')
  }
  expireOperations(core)
  const { operations } = getDevice(core, ids[0] ?? '', ids[1] ?? '')
  const isWanted = filterOf(query.get('filter') ?? '')
  const listed = operations
    .map((name, seq) => ({ seq: seq + 1, operation: core.state.operations.get(name) }))
    .filter(({ operation }) => operation !== undefined && isWanted(operation))
  const { page, ...rest } = pageOf(listed, query)
  return { operations: page.map(({ operation }) => operation), ...rest }
}

/** Reads the filters that Google documents: `done=true` and `done=false`. */
function filterOf(filter: string): (operation: Operation) => boolean {
  if (filter.trim() === '') return () => true
  const [, value] = /^\s*done\s*[=:]\s*(true|false)\s*$/.exec(filter) ?? []
  if (value !== undefined) return ({ done }) => done === (value === 'true')
  throw invalid('Request contains an invalid argument. Invalid list filter')
}

/** The outcome of a command. A failure has an error of google.rpc. */
export type Outcome = {
  error?: { code: number; message: string }
  error_code?: CommandError
  /** Members of the command that the phone adds. */
  status?: Partial<Command>
}

const RPC_CODES: Record<CommandError, number> = {
  UNKNOWN: 2,
  API_LEVEL: 9,
  MANAGEMENT_MODE: 9,
  INVALID_VALUE: 3,
  UNSUPPORTED: 12,
}

/** Completes an operation and publishes a notification. @throws ApiError when it is done already */
export function finish(core: Core, before: Operation, outcome: Outcome): Operation {
  const { name } = before
  if (before.done) throw new ApiError('FAILED_PRECONDITION', 'The operation is done already.')
  const { error_code, status } = outcome
  const error =
    outcome.error ??
    (error_code && { code: RPC_CODES[error_code], message: `Command failed: ${error_code}` })
  const after: Operation = {
    name,
    metadata: { ...before.metadata, ...status, ...(error_code && { errorCode: error_code }) },
    done: true,
    ...(error === undefined
      ? { response: { '@type': 'type.googleapis.com/google.protobuf.Empty' } }
      : { error }),
  }
  core.state.operations.set(name, after)
  core.state.pending_operations.delete(name)
  const [, enterpriseId = '', , deviceId = ''] = name.split('/')
  const enterprise = core.state.enterprises.get(enterpriseId)
  const device = enterprise?.devices.get(deviceId) ?? enterprise?.deleted.get(deviceId)
  if (device) device.pending = device.pending.filter((each) => each !== name)
  core.touch()
  if (enterprise) core.notify(enterprise, 'COMMAND', after)
  return after
}

/** Fails the operations that no phone has executed in time. */
export function expireOperations(core: Core): void {
  const now = core.now().getTime()
  for (const name of core.state.pending_operations) {
    const operation = core.state.operations.get(name)
    if (operation === undefined || expiryOf(operation) > now) continue
    finish(core, operation, {
      error: { code: 4, message: 'The command expired before the device executed it.' },
    })
  }
}

const expiryOf = ({ metadata }: Operation): number =>
  Date.parse(metadata.createTime) + secondsOf(metadata.duration) * 1_000

/** Returns a name that ends in the current time in milliseconds; each is greater than the last. */
export function newOperationName(core: Core, device: string): string {
  const { state } = core
  state.last_operation_id = Math.max(core.now().getTime(), state.last_operation_id + 1)
  return `${device}/operations/${state.last_operation_id}`
}
