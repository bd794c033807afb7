/** SQL of what happened, and of the messages about it. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Firing, ShownMessage } from './schema.ts'
import type { NotificationTables } from './tables.ts'

export type NotificationRow = NotificationTables['notifications']
export type MessageRow = Omit<ShownMessage, 'due_at' | 'attempted_at' | 'created_at'> & {
  due_at: Date | null
  attempted_at: Date | null
  created_at: Date
}

export type Page = { before?: string | undefined; limit: number }

/** Newest first. @param lasting only what lasts now */
export async function listNotifications(
  db: Db,
  orgId: string,
  lasting: boolean,
  { before, limit }: Page,
): Promise<NotificationRow[]> {
  return await db
    .selectFrom('notifications')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(lasting, (query) => query.where(sql<boolean>`is_lasting and resolved_at is null`))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

const COUNTED_MAX = 1000

export async function readFiring(db: Db, orgId: string): Promise<Firing> {
  const { rows } = await sql<Firing>`
    select count(*)::integer as count,
      count(*) filter (where acknowledged_at is null)::integer as unacknowledged,
      (array['notice', 'warning', 'critical'])[
        max(array_position(array['notice', 'warning', 'critical'], severity))
        filter (where acknowledged_at is null)] as severity
    from (
      select severity, acknowledged_at from notifications
      where org_id = ${orgId} and is_lasting and resolved_at is null
      order by id limit ${sql.lit(COUNTED_MAX)}
    ) lasting`.execute(db)
  return rows[0] ?? { count: 0, unacknowledged: 0, severity: null }
}

/** @returns undefined when there is no such notification that lasts */
export async function acknowledge(
  tx: Db,
  orgId: string,
  id: string,
  by: { user_id: string; at: Date },
): Promise<NotificationRow | undefined> {
  return await tx
    .updateTable('notifications')
    .set({
      acknowledged_at: sql`coalesce(acknowledged_at, ${by.at}::timestamptz)`,
      acknowledged_by: sql`coalesce(acknowledged_by, ${by.user_id}::uuid)`,
      due_at: null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('is_lasting', '=', true)
    .where('resolved_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Newest first. Messages to members are seen by them alone. */
export async function listMessages(
  db: Db,
  {
    org_id,
    user_id,
    channel_id,
  }: { org_id: string; user_id: string; channel_id?: string | undefined },
  { before, limit }: Page,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select m.id, m.channel_id, c.name as channel_name, m.subject, m.step, m.hold, m.items, m.status,
      m.attempts, m.due_at, m.attempted_at, m.response_status, m.response_body, m.error,
      m.latency_ms, m.created_at
    from notification_messages m
    left join notification_channels c on c.org_id = m.org_id and c.id = m.channel_id
    where m.org_id = ${org_id} and m.id < ${before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid
      and coalesce(c.user_id, c.browser_of, ${user_id}) = ${user_id}
      and (${channel_id ?? null}::uuid is null or m.channel_id = ${channel_id ?? null}::uuid)
    order by m.id desc limit ${limit}::integer`.execute(db)
  return rows
}

/** Sends a message again that has failed. @returns whether there is such a message */
export async function retryMessage(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update notification_messages m set status = 'pending', attempts = 0, hold = null, due_at = now()
    from notification_channels c
    where m.org_id = ${orgId} and m.id = ${id} and m.status = 'failed' and c.org_id = m.org_id
      and c.id = m.channel_id and c.user_id is null and c.browser_of is null`.execute(tx)
  return numAffectedRows === 1n
}

const SWEPT_MAX = 5000

/** Deletes messages, and notifications that do not last any more. @returns number of rows */
export async function sweepNotifications(db: Db, before: Date): Promise<number> {
  const messages = await sql`
    delete from notification_messages where ctid = any (array(
      select ctid from notification_messages where created_at < ${before}
      limit ${sql.lit(SWEPT_MAX)}))`.execute(db)
  const notifications = await sql`
    delete from notifications where ctid = any (array(
      select ctid from notifications where started_at < ${before}
        and (not is_lasting or resolved_at is not null)
      limit ${sql.lit(SWEPT_MAX)}))`.execute(db)
  return Number((messages.numAffectedRows ?? 0n) + (notifications.numAffectedRows ?? 0n))
}
