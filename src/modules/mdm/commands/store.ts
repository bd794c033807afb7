/**
 * SQL of commands that change. Whoever changes commands locks them first, in the order of their key,
 * and what waits to be sent only after them, so that no two transactions wait for each other.
 */
import { sql } from 'kysely'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CommandRow } from './record.ts'

export type CommandKey = Pick<CommandRow, 'org_id' | 'id'>

const orgs = (keys: readonly { org_id: string }[]) => uuidArray(keys.map(({ org_id }) => org_id))
const ids = (keys: readonly { id: string }[]) => uuidArray(keys.map(({ id }) => id))

export async function lockCommands(tx: Db, keys: readonly CommandKey[]): Promise<CommandRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CommandRow>`
    select c.* from mdm_commands c
    join unnest(${orgs(keys)}::uuid[], ${ids(keys)}::uuid[]) as g (org_id, id)
      on c.org_id = g.org_id and c.id = g.id
    order by c.org_id, c.id for no key update of c`.execute(tx)
  return rows
}

/** @returns those that are known, each once */
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

/** Commands of the devices that have not ended. */
export async function lockUnfinished(
  tx: Db,
  devices: readonly { org_id: string; id: string }[],
): Promise<CommandRow[]> {
  if (devices.length === 0) return []
  const { rows } = await sql<CommandRow>`
    select c.* from mdm_commands c where (c.org_id, c.id) in (
      select k.org_id, k.id from mdm_commands k
      join unnest(${orgs(devices)}::uuid[], ${ids(devices)}::uuid[]) as g (org_id, id)
        on k.org_id = g.org_id and k.device_id = g.id
      where k.completed_at is null
    ) order by c.org_id, c.id for no key update of c`.execute(tx)
  return rows
}

/** @returns names of those operations that commands have */
export async function listOwners(
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

/** Of rows that were locked: the provider has them. */
export async function updateSent(
  tx: Db,
  rows: readonly CommandRow[],
  checkMinutes: number,
): Promise<void> {
  if (rows.length === 0) return
  const given = rows.map(({ org_id, id, operation_name, sent_at }) => {
    return { org_id, id, operation_name, sent_at }
  })
  await sql`
    update mdm_commands c set status = 'sent', operation_name = g.operation_name,
      sent_at = g.sent_at, new_password = null, unsure_since = null,
      check_due_at = now() + ${checkMinutes}::float8 * interval '1 minute'
    from json_to_recordset(${JSON.stringify(given)}::json) as g (
      org_id uuid, id uuid, operation_name text, sent_at timestamptz)
    where c.org_id = g.org_id and c.id = g.id`.execute(tx)
}

/** Of rows that were locked: no attempt has brought them to the provider. */
export async function forgetAttempts(tx: Db, keys: readonly CommandKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update mdm_commands c set unsure_since = null
    from unnest(${orgs(keys)}::uuid[], ${ids(keys)}::uuid[]) as g (org_id, id)
    where c.org_id = g.org_id and c.id = g.id and c.status = 'queued'`.execute(tx)
}

/** Of rows that were locked. The password goes with the end. */
export async function updateEnded(tx: Db, rows: readonly CommandRow[]): Promise<void> {
  if (rows.length === 0) return
  const given = rows.map(({ org_id, id, status, error, completed_at }) => {
    return { org_id, id, status, error, completed_at }
  })
  await sql`
    update mdm_commands c set status = g.status, error = g.error, completed_at = g.completed_at,
      new_password = null, check_due_at = null, unsure_since = null
    from json_to_recordset(${JSON.stringify(given)}::json) as g (
      org_id uuid, id uuid, status text, error text, completed_at timestamptz)
    where c.org_id = g.org_id and c.id = g.id`.execute(tx)
}

/** Nothing is sent of commands that ended, or that the provider has. */
export async function deleteCommandDispatches(tx: Db, keys: readonly CommandKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    with given as materialized (
      select * from unnest(${orgs(keys)}::uuid[], ${ids(keys)}::uuid[]) as g (org_id, id)
      order by 1, 2
    ), locked as materialized (
      select d.* from given g cross join lateral (${dispatchOf('g')} for update) d
    )
    delete from mdm_dispatches d using locked l
    where d.org_id = l.org_id and d.kind = 'issue_command' and d.subject_id = l.subject_id`.execute(
    tx,
  )
}

/** In this form it is looked up by its key one by one, whatever the statistics say. */
const dispatchOf = (given: string) => sql`
  select org_id, subject_id, lease_id from mdm_dispatches
  where org_id = ${sql.ref(`${given}.org_id`)} and kind = 'issue_command'
    and subject_id = ${sql.ref(`${given}.id`)} limit 1`

/**
 * What waits for its turn behind other commands of these devices is looked at now. In a transaction
 * of its own: it waits for whoever is looking at them.
 */
export async function hastenCommands(
  db: Db,
  devices: readonly { org_id: string; device_id: string }[],
): Promise<void> {
  if (devices.length === 0) return
  const deviceIds = uuidArray(devices.map(({ device_id }) => device_id))
  await sql`
    with waiting as materialized (
      select c.org_id, c.id
      from (
        select distinct * from unnest(${orgs(devices)}::uuid[], ${deviceIds}::uuid[])
          as g (org_id, device_id)
      ) g cross join lateral (
        select org_id, id from mdm_commands
        where org_id = g.org_id and device_id = g.device_id and status = 'queued'
          and completed_at is null
        order by id limit ${HASTENED_MAX}::integer
      ) c
      order by 1, 2
    ), locked as materialized (
      select d.* from waiting w cross join lateral (${dispatchOf('w')} for update) d
    )
    update mdm_dispatches d set due_at = now() from locked l
    where d.org_id = l.org_id and d.kind = 'issue_command' and d.subject_id = l.subject_id
      and d.lease_id is null`.execute(db)
}

/** Of one device; only the first has its turn. */
const HASTENED_MAX = 100
