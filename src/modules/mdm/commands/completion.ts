/**
 * The ends of commands. However it is learnt (a notification, a look at the provider, the device is
 * gone, time is up), a command ends once: with one audit entry and one event, and nothing of it is
 * sent any more.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { emitEvents } from '../../events/index.ts'
import { auditEntry } from '../audit/entry.ts'
import { type Actor, insertAuditEntries, PROVIDER, SYSTEM } from '../audit/store.ts'
import type { WireOperation } from '../providers/port.ts'
import { type CommandRow, shownCommand } from './record.ts'
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
 * In the transaction of whoever learnt of them. Told twice, or after the end, they change nothing.
 *
 * @returns names of operations of the devices that no command has
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
 * In the transaction in which devices stop being managed: what makes a device leave was carried out,
 * and nothing else can be any more.
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

/** @param ends of rows that were locked in this transaction; those that ended before are left alone */
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
  await insertAuditEntries(
    tx,
    changes.map(({ before, after }) =>
      auditEntry(newId, now, {
        org_id: after.org_id,
        action: 'command.completed',
        actor,
        target: { type: 'command', id: after.id, device_id: after.device_id },
        before: { status: before.status },
        after: { status: after.status, ...(after.error !== null && { error: after.error }) },
      }),
    ),
  )
  await emitEvents(
    tx,
    rows.map((row) => ({
      id: newId(now),
      org_id: row.org_id,
      mode: 'live',
      type: 'mdm.command.completed',
      data: shownCommand(row),
      occurred_at: now,
    })),
  )
  await deleteCommandDispatches(tx, rows)
}

const keyOf = (orgId: string, name: string | null): string => `${orgId} ${name}`
