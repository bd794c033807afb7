import { sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'

/** Counts all devices and those last seen at `activeSince` or later. */
export async function countDevices(db: Db, orgId: string, mode: Mode, activeSince: Date) {
  const { rows } = await sql<{ total: number; active: number }>`
    select count(*)::float8 as total,
      count(*) filter (where last_seen_at >= ${activeSince})::float8 as active
    from edge_devices where org_id = ${orgId} and mode = ${mode}`.execute(db)
  return rows[0] ?? { total: 0, active: 0 }
}
