/** How far the last command of each group is. */
import type { Db } from '../../../../platform/postgres/db.ts'
import type { GroupCommand } from '../schema.ts'
import { listLastGroupCommands } from './store.ts'

/** @returns by group; none for groups that never had a command */
export async function progressOf(
  db: Db,
  orgId: string,
  groupIds: readonly string[],
): Promise<Map<string, GroupCommand>> {
  const rows = await listLastGroupCommands(db, orgId, groupIds)
  return new Map(
    rows.map(({ org_id: _org, created_by: _user, created_at, ...rest }) => [
      rest.group_id,
      { ...rest, created_at: created_at.toISOString() },
    ]),
  )
}
