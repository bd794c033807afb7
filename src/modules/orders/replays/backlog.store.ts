/** Reads the replays that no worker has started, across organizations. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

export async function findReplayBacklog(
  db: Db,
): Promise<{ waiting: number; oldest_at: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest_at: Date | null }>`
    select count(*) as waiting, min(created_at) as oldest_at
    from rules_replays where state in ('queued', 'running') and state = 'queued'`.execute(db)
  return rows[0] ?? { waiting: 0, oldest_at: null }
}
