/** SQL of routes, of organizations and of their members. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Severity } from './catalog.ts'
import type { QuietHours } from './quiet-hours.ts'
import type { Route } from './routing.ts'

export type RouteRow = Route & { org_id: string; id: string }

export type RouteKey = {
  org_id: string
  /** Null for a route of the organization. */
  user_id: string | null
  subject: string | null
  rule_id: string | null
}

export type RouteValues = {
  channel_ids: readonly string[]
  min_severity: Severity
  repeat_minutes: number
  quiet_hours: QuietHours | null
}

const COLUMNS = sql`org_id, id, user_id, subject, rule_id, channel_ids, min_severity,
  repeat_minutes, quiet_hours, muted_until`

export async function listRoutes(
  db: Db,
  orgId: string,
  userId: string | null,
): Promise<RouteRow[]> {
  const { rows } = await sql<RouteRow>`
    select ${COLUMNS} from notification_routes
    where org_id = ${orgId} and user_id is not distinct from ${userId}::uuid
    order by subject nulls first, rule_id nulls first`.execute(db)
  return rows
}

/** One route for each rule, subject, and for all others. A mute stays. */
export async function upsertRoute(
  tx: Db,
  id: string,
  key: RouteKey,
  values: RouteValues,
  now: Date,
): Promise<RouteRow> {
  const { rows } = await sql<RouteRow>`
    insert into notification_routes (org_id, id, user_id, subject, rule_id, channel_ids, min_severity,
      repeat_minutes, quiet_hours, updated_at)
    values (${key.org_id}, ${id}, ${key.user_id}, ${key.subject}, ${key.rule_id},
      ${[...values.channel_ids]}::uuid[], ${values.min_severity}, ${values.repeat_minutes},
      ${values.quiet_hours === null ? null : JSON.stringify(values.quiet_hours)}::jsonb, ${now})
    on conflict (org_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'),
      coalesce(subject, ''), coalesce(rule_id, '00000000-0000-0000-0000-000000000000'))
    do update set channel_ids = excluded.channel_ids, min_severity = excluded.min_severity,
      repeat_minutes = excluded.repeat_minutes, quiet_hours = excluded.quiet_hours,
      updated_at = excluded.updated_at
    returning ${COLUMNS}`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('a route was not written')
  return row
}

export async function countRoutes(tx: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from notification_routes
    where org_id = ${orgId} and user_id is null`.execute(tx)
  return rows[0]?.count ?? 0
}

/** @returns whether it existed */
export async function deleteRoute(
  tx: Db,
  { org_id, user_id }: Pick<RouteKey, 'org_id' | 'user_id'>,
  id: string,
): Promise<RouteRow | undefined> {
  const { rows } = await sql<RouteRow>`
    delete from notification_routes
    where org_id = ${org_id} and id = ${id} and user_id is not distinct from ${user_id}::uuid
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}

/** @param minutes 0 ends the mute */
export async function muteRoute(
  tx: Db,
  { org_id, user_id }: Pick<RouteKey, 'org_id' | 'user_id'>,
  id: string,
  until: Date | null,
): Promise<RouteRow | undefined> {
  const { rows } = await sql<RouteRow>`
    update notification_routes set muted_until = ${until}::timestamptz
    where org_id = ${org_id} and id = ${id} and user_id is not distinct from ${user_id}::uuid
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}

/** Finds what lasts and was not notified because of a mute, so that it is notified when the mute ends early. */
export async function lookAgain(tx: Db, orgId: string): Promise<void> {
  await sql`
    update notifications set due_at = now()
    where org_id = ${orgId} and is_lasting and resolved_at is null and acknowledged_at is null
      and told = '{}'`.execute(tx)
}
