/** Reads since when usage has been waiting to be debited, across organizations. */
import { sql } from 'kysely'
import { timeOfId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** @returns undefined when all usage has been debited */
export async function findOldestUnposted(db: Db): Promise<Date | undefined> {
  // Skips from organization to organization in the index; each step finds its oldest row.
  const { rows } = await sql<{ id: string | null }>`
    with recursive hop as (
      (select org_id, id from usage_events where transfer_id is null and cost_units > 0
        order by org_id, id limit 1)
      union all
      select next.org_id, next.id from hop cross join lateral (
        select org_id, id from usage_events
        where transfer_id is null and cost_units > 0 and org_id > hop.org_id
        order by org_id, id limit 1) next
    )
    select id from hop order by id limit 1`.execute(db)
  const id = rows[0]?.id
  return typeof id === 'string' ? timeOfId(id) : undefined
}
