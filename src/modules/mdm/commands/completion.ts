/**
 * Ends commands. Whatever reveals the end (a notification, a check with the provider, the removal of
 * the device, the expiry), a command ends once, with one audit entry and one event, and is no longer
 * sent.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { emitEvents } from '../../events/index.ts'
import { type Actor, type AuditFacts, PROVIDER, SYSTEM } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import type { WireOperation } from '../providers/port.ts'
import { type CommandRow, toCommand } from './record.ts'
import { type CommandEnd, endOfOperation, endWithDevice, isFinal } from './state.ts'
import {
  deleteCommandDispatches,
  lockCommandsByOperation,
  lockUnfinished,
  updateEnded,
} from './store.ts'

export type CompletionContext = { newId: NewId; now: Date }

export type ReportedOperation = {
  org_id: string
  /** `enterprises/…/devices/…` */
  device_name: string
  operation: WireOperation
}

/**
 * Applies results of operations in the caller's transaction. A result that is reported twice, or after
 * the command has ended, changes nothing.
 *
 * @returns names of operations of the devices that belong to no command
 */
export async function applyOperations(
  tx: Db,
  context: CompletionContext,
  reported: readonly ReportedOperation[],
): Promise<string[]> {
  const named = reported.flatMap(({ org_id, device_name, operation }) => {
    const { name } = operation
    const isOfDevice = typeof name === 'string' && name.startsWith(`${device_name}/operations/`)
    return isOfDevice ? [{ org_id, name, operation }] : []
  })
  const rows = await lockCommandsByOperation(tx, named)
  const byName = new Map(rows.map((row) => [keyOf(row.org_id, row.operation_name), row]))
  const ended = new Map<CommandRow, CommandEnd>()
  const unknown = new Set<string>()
  for (const { org_id, name, operation } of named) {
    const row = byName.get(keyOf(org_id, name))
    const end = endOfOperation(operation)
    if (row === undefined) unknown.add(name)
    else if (end !== undefined && !ended.has(row)) ended.set(row, end)
  }
  await endCommands(tx, context, { ends: ended, actor: PROVIDER })
  return [...unknown]
}

/**
 * Ends all commands of devices, in the transaction in which they stop being managed: a command that
 * removes a device has succeeded, and no other command can.
 */
export async function endCommandsOfDevices(
  tx: Db,
  context: CompletionContext,
  devices: readonly { org_id: string; id: string }[],
): Promise<void> {
  const rows = await lockUnfinished(tx, devices)
  const ends = new Map(rows.map((row) => [row, endWithDevice(row)]))
  await endCommands(tx, context, { ends, actor: SYSTEM })
}

/** @param ends by rows that this transaction has locked; commands that have ended are skipped */
export async function endCommands(
  tx: Db,
  { newId, now }: CompletionContext,
  { ends, actor }: { ends: ReadonlyMap<CommandRow, CommandEnd>; actor: Actor },
): Promise<void> {
  const changes = [...ends]
    .filter(([row]) => !isFinal(row.status))
    .map(([row, end]) => ({ before: row, after: { ...row, ...end, completed_at: now } }))
  const rows = changes.map(({ after }) => after)
  if (rows.length === 0) return
  await updateEnded(tx, rows)
  const facts = changes.map(
    ({ before, after }): AuditFacts => ({
      org_id: after.org_id,
      action: 'command.completed',
      actor,
      target: { type: 'command', id: after.id, device_id: after.device_id },
      before: { status: before.status },
      after: { status: after.status, ...(after.error !== null && { error: after.error }) },
    }),
  )
  await writeAudit(tx, newId, now, facts)
  const event = { mode: 'live', type: 'mdm.command.completed', occurred_at: now } as const
  const events = rows.map((row) => {
    return { id: newId(now), org_id: row.org_id, ...event, data: toCommand(row) }
  })
  await emitEvents(tx, events)
  await deleteCommandDispatches(tx, rows)
}

const keyOf = (orgId: string, name: string | null): string => `${orgId} ${name}`
