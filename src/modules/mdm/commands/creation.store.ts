/** SQL that creates commands for a device or for all members of a group. */
import { sql } from 'kysely'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Actor } from '../audit/entry.ts'
import type { DeviceRow } from '../devices/record.ts'
import type { MdmTables } from '../tables.ts'
import type { CommandRow } from './record.ts'

export type Candidate = Pick<
  DeviceRow,
  'id' | 'state' | 'deletion_requested_at' | 'management_mode' | 'ownership' | 'api_level'
> & { queued: number }

const CANDIDATE = sql`d.id, d.state, d.deletion_requested_at, d.management_mode, d.ownership,
  d.api_level, (select count(*) from mdm_commands c where c.org_id = d.org_id
    and c.device_id = d.id and c.status = 'queued' and c.completed_at is null) as queued`

/** Locks the device until the command is committed, so that a concurrent removal ends the command. */
export async function shareDevice(
  tx: Db,
  orgId: string,
  deviceId: string,
): Promise<Candidate | undefined> {
  const { rows } = await sql<Candidate>`
    select ${CANDIDATE} from mdm_devices d where d.org_id = ${orgId} and d.id = ${deviceId}
    for share of d`.execute(tx)
  return rows[0]
}

/** Locks in the order of the key, like all transactions that lock devices. */
export async function shareMembers(tx: Db, orgId: string, groupId: string): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select ${CANDIDATE} from mdm_devices d
    where d.org_id = ${orgId} and d.group_id = ${groupId} and d.state <> 'deleted'
    order by d.org_id, d.id for share of d`.execute(tx)
  return rows
}

/** Columns that all commands of one request have in common. */
export type NewCommands = Pick<
  CommandRow,
  | 'org_id'
  | 'group_command_id'
  | 'type'
  | 'parameters'
  | 'new_password'
  | 'created_by'
  | 'created_at'
  | 'expires_at'
>
/** Ids of a command, its audit entry and its device. */
export type NewCommandIds = { id: string; entry_id: string; device_id: string }

/**
 * Inserts commands, their dispatches and their audit entries with one statement. A command that is
 * still unsent when it expires is checked then.
 */
export async function insertCommands(
  tx: Db,
  common: NewCommands,
  { ids, actor }: { ids: readonly NewCommandIds[]; actor: Actor },
): Promise<void> {
  const { org_id, group_command_id, type, parameters, new_password, created_by } = common
  const { created_at, expires_at } = common
  const after = { type, ...parameters, ...(group_command_id !== null && { group_command_id }) }
  await sql`
    with new_ids as materialized (
      select * from unnest(
        ${uuidArray(ids.map(({ id }) => id))}::uuid[],
        ${uuidArray(ids.map(({ entry_id }) => entry_id))}::uuid[],
        ${uuidArray(ids.map(({ device_id }) => device_id))}::uuid[]
      ) as g (id, entry_id, device_id)
    ), inserted as (
      insert into mdm_commands (org_id, id, device_id, group_command_id, type, parameters,
        new_password, status, expires_at, check_due_at, created_by, created_at)
      select ${org_id}::uuid, id, device_id, ${group_command_id}::uuid, ${type},
        ${JSON.stringify(parameters)}::jsonb, ${new_password}::text, 'queued',
        ${expires_at}::timestamptz, ${expires_at}::timestamptz, ${created_by}::uuid,
        ${created_at}::timestamptz
      from new_ids
    ), waiting as (
      insert into mdm_dispatches (org_id, kind, subject_id, due_at, created_at)
      select ${org_id}::uuid, 'issue_command', id, now(), now() from new_ids
    )
    insert into mdm_audit_log (org_id, id, action, actor_type, actor_id, target_type, target_id,
      device_id, after, created_at)
    select ${org_id}::uuid, entry_id, 'command.created', ${actor.type}, ${actor.id}::uuid,
      'command', id::text, device_id, ${JSON.stringify(after)}::jsonb, ${created_at}::timestamptz
    from new_ids`.execute(tx)
}

export type GroupCommandRow = MdmTables['mdm_group_commands']

export async function insertGroupCommand(tx: Db, row: GroupCommandRow): Promise<void> {
  await tx.insertInto('mdm_group_commands').values(row).execute()
}
