import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { Mode } from '../../../../platform/postgres/tables/platform.ts'

/** How many devices there are, and how many of them were heard from since. */
export async function countDevices(
  db: Db,
  orgId: string,
  mode: Mode,
  activeSince: Date,
): Promise<{ total: number; active: number }> {
  const { rows } = await sql<{ total: number; active: number }>`
    select count(*)::float8 as total,
      count(*) filter (where last_seen_at >= ${activeSince})::float8 as active
    from edge_devices where org_id = ${orgId} and mode = ${mode}`.execute(db)
  return rows[0] ?? { total: 0, active: 0 }
}
