/** SQL of the progress of group commands. */
import { sql } from 'kysely'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CommandStatus } from '../tables.ts'
import type { GroupCommandRow } from './creation.store.ts'

type Progress = Record<CommandStatus, number>

/** Returns the newest command of each group, if it ever had one. */
export async function listLastGroupCommands(
  db: Db,
  orgId: string,
  groupIds: readonly string[],
): Promise<(GroupCommandRow & Progress)[]> {
  if (groupIds.length === 0) return []
  const { rows } = await sql<GroupCommandRow & Progress>`
    select l.*, p.* from unnest(${uuidArray(groupIds)}::uuid[]) as g (id)
    cross join lateral (
      select * from mdm_group_commands where org_id = ${orgId} and group_id = g.id
      -- Not by id alone: for a group without commands, that would scan those of all other groups.
      order by created_at desc, id desc limit 1
    ) l cross join lateral (
      select count(*) filter (where status = 'queued') as queued,
        count(*) filter (where status = 'sent') as sent,
        count(*) filter (where status = 'acknowledged') as acknowledged,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'expired') as expired,
        count(*) filter (where status = 'cancelled') as cancelled
      from mdm_commands where org_id = ${orgId} and group_command_id = l.id
    ) p`.execute(db)
  return rows
}
