/**
 * SQL that changes commands. A transaction locks commands in the order of their key, and only then
 * their dispatches, so that no two transactions deadlock.
 */
import { sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { unnested } from '../keys.store.ts'
import type { CommandRow } from './record.ts'

export type CommandKey = Pick<CommandRow, 'org_id' | 'id'>

const orgs = (keys: readonly { org_id: string }[]) => uuidArray(keys.map(({ org_id }) => org_id))

export async function lockCommands(tx: Db, keys: readonly CommandKey[]): Promise<CommandRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CommandRow>`
    select c.* from mdm_commands c
    join ${unnested(keys, 'id')} as g (org_id, id)
      on c.org_id = g.org_id and c.id = g.id
    order by c.org_id, c.id for no key update of c`.execute(tx)
  return rows
}

/** @returns the commands that are known, each once */
export async function lockCommandsByOperation(
  tx: Db,
  operations: readonly { org_id: string; name: string }[],
): Promise<CommandRow[]> {
  if (operations.length === 0) return []
  const names = textArray(operations.map(({ name }) => name))
  const { rows } = await sql<CommandRow>`
    select c.* from mdm_commands c where (c.org_id, c.id) in (
      select k.org_id, k.id from mdm_commands k
      join unnest(${orgs(operations)}::uuid[], ${names}::text[]) as g (org_id, name)
        on k.org_id = g.org_id and k.operation_name = g.name
      where k.operation_name is not null
    ) order by c.org_id, c.id for no key update of c`.execute(tx)
  return rows
}

/** Locks the commands of the devices that have not ended. */
export async function lockUnfinished(
  tx: Db,
  devices: readonly { org_id: string; id: string }[],
): Promise<CommandRow[]> {
  if (devices.length === 0) return []
  const { rows } = await sql<CommandRow>`
    select c.* from mdm_commands c where (c.org_id, c.id) in (
      select k.org_id, k.id from mdm_commands k
      join ${unnested(devices, 'id')} as g (org_id, id)
        on k.org_id = g.org_id and k.device_id = g.id
      where k.completed_at is null
    ) order by c.org_id, c.id for no key update of c`.execute(tx)
  return rows
}

/** @returns names of the operations that belong to a command */
export async function listKnownOperations(
  tx: Db,
  operations: readonly { org_id: string; name: string }[],
): Promise<Set<string>> {
  if (operations.length === 0) return new Set()
  const names = textArray(operations.map(({ name }) => name))
  const { rows } = await sql<{ operation_name: string }>`
    select c.operation_name from mdm_commands c
    join unnest(${orgs(operations)}::uuid[], ${names}::text[]) as g (org_id, name)
      on c.org_id = g.org_id and c.operation_name = g.name
    where c.operation_name is not null`.execute(tx)
  return new Set(rows.map(({ operation_name }) => operation_name))
}

/** Marks locked commands as received by the provider. */
export async function updateSent(
  tx: Db,
  rows: readonly CommandRow[],
  checkMinutes: number,
): Promise<void> {
  if (rows.length === 0) return
  const sent = rows.map(({ org_id, id, operation_name, sent_at }) => {
    return { org_id, id, operation_name, sent_at }
  })
  await sql`
    update mdm_commands c set status = 'sent', operation_name = g.operation_name,
      sent_at = g.sent_at, new_password = null, unsure_since = null,
      check_due_at = now() + ${checkMinutes}::float8 * interval '1 minute'
    from json_to_recordset(${JSON.stringify(sent)}::json) as g (
      org_id uuid, id uuid, operation_name text, sent_at timestamptz)
    where c.org_id = g.org_id and c.id = g.id`.execute(tx)
}

/** Records that no attempt has delivered these locked commands to the provider. */
export async function clearUnsure(tx: Db, keys: readonly CommandKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update mdm_commands c set unsure_since = null
    from ${unnested(keys, 'id')} as g (org_id, id)
    where c.org_id = g.org_id and c.id = g.id and c.status = 'queued'`.execute(tx)
}

/** Stores the end of locked commands, and deletes their passwords. */
export async function updateEnded(tx: Db, rows: readonly CommandRow[]): Promise<void> {
  if (rows.length === 0) return
  const ended = rows.map(({ org_id, id, status, error, completed_at }) => {
    return { org_id, id, status, error, completed_at }
  })
  await sql`
    update mdm_commands c set status = g.status, error = g.error, completed_at = g.completed_at,
      new_password = null, check_due_at = null, unsure_since = null
    from json_to_recordset(${JSON.stringify(ended)}::json) as g (
      org_id uuid, id uuid, status text, error text, completed_at timestamptz)
    where c.org_id = g.org_id and c.id = g.id`.execute(tx)
}

/** Deletes the dispatches of commands that have ended or that the provider has received. */
export async function deleteCommandDispatches(tx: Db, keys: readonly CommandKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    with ordered as materialized (
      select * from ${unnested(keys, 'id')} as g (org_id, id)
      order by 1, 2
    ), locked as materialized (
      select d.* from ordered g cross join lateral (${dispatchOf('g')} for update) d
    )
    delete from mdm_dispatches d using locked l where d.org_id = l.org_id
      and d.kind = 'issue_command' and d.subject_id = l.subject_id`.execute(tx)
}

/** This form makes the planner look up dispatches one by one with their key, whatever the statistics. */
const dispatchOf = (command: string) => sql`
  select org_id, subject_id, lease_id from mdm_dispatches
  where org_id = ${sql.ref(`${command}.org_id`)} and kind = 'issue_command'
    and subject_id = ${sql.ref(`${command}.id`)} limit 1`

/**
 * Makes the queued commands of these devices due now. Runs in its own transaction, because it waits
 * for the dispatchers that hold them.
 */
export async function markCommandsDue(
  db: Db,
  devices: readonly { org_id: string; device_id: string }[],
): Promise<void> {
  if (devices.length === 0) return
  await sql`
    with waiting as materialized (
      select c.org_id, c.id
      from (
        select distinct * from ${unnested(devices, 'device_id')} as g (org_id, device_id)
      ) g cross join lateral (
        select org_id, id from mdm_commands
        where org_id = g.org_id and device_id = g.device_id and status = 'queued'
          and completed_at is null
        order by id limit ${DUE_MAX}::integer
      ) c
      order by 1, 2
    ), locked as materialized (
      select d.* from waiting w cross join lateral (${dispatchOf('w')} for update) d
    )
    update mdm_dispatches d set due_at = now() from locked l
    where d.org_id = l.org_id and d.kind = 'issue_command' and d.subject_id = l.subject_id
      and d.lease_id is null`.execute(db)
}

/** Commands per device; only the first of them is sent next. */
const DUE_MAX = 100
