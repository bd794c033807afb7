/** The channel of a member, which exists from the first choice on. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

const PER_HOUR_MAX = 30

/** @returns the id of the channel */
export async function memberChannel(
  tx: Db,
  { org_id, user_id }: { org_id: string; user_id: string },
  newId: string,
  now: Date,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into notification_channels as c (org_id, id, user_id, kind, name, config, per_hour_max,
      created_at, updated_at)
    values (${org_id}, ${newId}, ${user_id}, 'email', 'E-mail', '{}', ${sql.lit(PER_HOUR_MAX)}, ${now},
      ${now})
    on conflict (org_id, user_id) where user_id is not null do update set updated_at = c.updated_at
    returning id`.execute(tx)
  return rows[0]?.id ?? newId
}
