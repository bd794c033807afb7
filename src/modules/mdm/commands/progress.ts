/** Progress of the last command of each group. */
import type { Db } from '../../../platform/postgres/db.ts'
import { listLastGroupCommands } from './progress.store.ts'
import type { GroupCommand } from './schema.ts'

/** @returns by group id; groups that never had a command are left out */
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
