/** Compares commands with the operations of the provider, and with the responses of phones. */
import { namesOf, type Truth } from './mdm-device-books.ts'
import type { FleetLedger } from './mdm-ledger.ts'
import type { CommandRow, Rows } from './mdm-rows.ts'

type Operation = Truth['operations'][number]

export const isInDoubt = ({ status, error }: CommandRow): boolean =>
  status === 'cancelled' && error !== null && error.includes('it is unknown whether')

/** Commands that end the management of a device, which then reports nothing more. */
const UNENROLLING: readonly string[] = ['WIPE', 'RELINQUISH_OWNERSHIP']

const packagesOf = (operation: Operation): string[] => {
  const parameters = operation.metadata['clearAppsDataParams'] as { packageNames?: string[] }
  return parameters?.packageNames ?? []
}

const deviceOf = ({ name }: Operation): string => name.split('/operations/')[0] ?? ''

/** @returns faults, as sentences */
export function wrongCommands(rows: Rows, truth: Truth): string[] {
  const operations = new Map(truth.operations.map((one) => [one.name, one]))
  const managed = new Set(rows.devices.flatMap(managedName))
  return rows.commands.flatMap((row) => {
    const operation = operations.get(row.operation_name ?? '')
    if (row.operation_name === null) return wrongUnsent(row)
    if (!operation) return [`${row.id}: the provider does not have ${row.operation_name}`]
    const state = `${row.id} (${row.type}) is ${row.status}: ${row.error}`
    const packages = row.parameters.package_names ?? []
    const isOther =
      operation.metadata.type !== row.type || packagesOf(operation).join() !== packages.join()
    if (isOther) return [`${state}; its operation is another command`]
    const expected = statusOf(operation)
    if (row.status === expected) return []
    // Operations of devices that the provider has removed are not checked.
    const hasEnded = !managed.has(deviceOf(operation))
    const isExcused = UNENROLLING.includes(row.type)
      ? row.status === 'acknowledged'
      : isInDoubt(row)
    return hasEnded && isExcused ? [] : [`${state}; the provider says ${expected}`]
  })
}

const managedName = ({ state, provider_name }: Rows['devices'][number]): string[] =>
  state === 'deleted' ? [] : [provider_name]

function wrongUnsent({ id, type, status, error }: CommandRow): string[] {
  // The provider refuses commands for devices that it does not have.
  const isEnd = status === 'cancelled' || (status === 'failed' && error?.includes('not have'))
  return isEnd ? [] : [`${id} (${type}) was not sent and is ${status}: ${error}`]
}

function statusOf({ done, metadata, error }: Operation): CommandRow['status'] {
  if (!done) return 'sent'
  if (metadata.errorCode !== undefined) return 'failed'
  if (error === undefined) return 'acknowledged'
  return error.code === 4 ? 'expired' : 'failed'
}

/**
 * Returns operations that the provider accepted and that belong to no command. A response about a device
 * that was removed may be lost or late, but only for commands whose error says that this is unknown.
 */
export function issuedWithoutCommand(rows: Rows, truth: Truth): string[] {
  const sent = new Set(rows.commands.flatMap(({ operation_name }) => operation_name ?? []))
  const devices = new Map(rows.devices.map((row) => [row.id, row]))
  const phones = new Map(
    truth.phones.flatMap((phone) => namesOf(phone).map((name) => [name, phone.id] as const)),
  )
  const doubts = new Map<string, number>()
  for (const row of rows.commands.filter((one) => one.operation_name === null && isInDoubt(one))) {
    const phone = phones.get(devices.get(row.device_id)?.provider_name ?? '')
    const key = keyOf(phone, row.type, row.parameters.package_names)
    doubts.set(key, (doubts.get(key) ?? 0) + 1)
  }
  return truth.operations.flatMap((operation) => {
    if (sent.has(operation.name)) return []
    const { type } = operation.metadata
    const key = keyOf(phones.get(deviceOf(operation)), type, packagesOf(operation))
    const left = doubts.get(key) ?? 0
    doubts.set(key, left - 1)
    return left > 0 ? [] : [`${operation.name} (${type}) was accepted and belongs to no command`]
  })
}

const keyOf = (phone: string | undefined, type: string, packages: readonly string[] = []): string =>
  `${phone} ${type} ${packages.join()}`

/** Compares the counts of the provider, and package names, which no two commands of a device share here. */
export function issuedTwice({ commands }: Rows, truth: Truth): string[] {
  const counts = new Map<string, number>()
  for (const operation of truth.operations) {
    const key = `${deviceOf(operation)} ${operation.metadata.type}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const phones = new Map(
    truth.phones.flatMap((phone) => namesOf(phone).map((name) => [name, phone.id] as const)),
  )
  const cleared = truth.operations
    .filter(({ metadata }) => metadata.type === 'CLEAR_APP_DATA')
    .map((one) => keyOf(phones.get(deviceOf(one)), 'CLEAR_APP_DATA', packagesOf(one)))
  const names = commands.flatMap(({ operation_name }) => operation_name ?? [])
  return [
    ...truth.issued.flatMap(({ device, type, count }) =>
      counts.get(`${device} ${type}`) === count ? [] : [`${device}: ${count} of ${type} accepted`],
    ),
    ...repeated(cleared).map((key) => `accepted twice: ${key}`),
    ...repeated(names).map((name) => `of two commands: ${name}`),
  ]
}

export const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
]

/** Acknowledged commands exist as they were requested; refused ones do not. */
export function wrongRequests({ commands, group_commands }: Rows, ledger: FleetLedger): string[] {
  const byId = new Map(commands.map((row) => [row.id, row]))
  const byPackage = new Map<string, CommandRow[]>()
  for (const row of commands) {
    for (const name of row.parameters.package_names ?? []) {
      byPackage.set(name, [...(byPackage.get(name) ?? []), row])
    }
  }
  const groups = new Map(group_commands.map((row) => [row.id, row]))
  const missing = [...ledger.commands].filter(([id, requested]) => {
    const row = byId.get(id)
    const isSame = row?.device_id === requested.device_id && row.type === requested.type
    return !isSame || row.parameters.package_names?.[0] !== requested.package_name
  })
  const missingOfGroups = [...ledger.group_commands].filter(([id, requested]) => {
    const created = byPackage.get(requested.package_name) ?? []
    const isSame =
      groups.get(id)?.group_id === requested.group_id && created.length === requested.total
    return !isSame || created.some(({ group_command_id }) => group_command_id !== id)
  })
  const known = new Set([
    ...[...ledger.commands.values()].flatMap(({ package_name }) => package_name ?? []),
    ...[...ledger.group_commands.values()].map(({ package_name }) => package_name),
    ...ledger.open,
  ])
  return [
    ...[...missing, ...missingOfGroups].map(([id]) => `${id}: it was acknowledged`),
    ...[...byPackage.keys()].filter((name) => !known.has(name)).map((name) => `${name}: refused`),
    ...[...byPackage.values()]
      .filter((rows) => new Set(rows.map(({ device_id }) => device_id)).size !== rows.length)
      .map(([one]) => `${one?.id}: created twice`),
  ]
}
