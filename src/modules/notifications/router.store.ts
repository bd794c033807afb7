/** SQL of the router, which runs in one transaction and on one process at a time. */
import { sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Recent } from './hold.ts'
import type { Route } from './routing.ts'
import type { ChannelKind, Hold, Item, NotificationTables, Step } from './tables.ts'

export type DueNotification = NotificationTables['notifications']

const DUE_MAX = 200

export async function isAnyDue(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select 1 from notifications where due_at <= now() limit 1`.execute(db)
  return rows.length > 0
}

type LockedDue = {
  now: Date
  /** Time of the ids of messages, which is later than in every run before. */
  id_time: Date
  due: DueNotification[]
  is_more: boolean
}

/** @returns undefined while another process does it */
export async function lockDue(tx: Db): Promise<LockedDue | undefined> {
  const lock = await sql<{ is_free: boolean; now: Date }>`
    select pg_try_advisory_xact_lock(hashtextextended('notifications', 0)) as is_free,
      now() as now`.execute(tx)
  const [found] = lock.rows
  if (!found?.is_free) return undefined
  const { rows } = await sql<DueNotification>`
    select * from notifications where due_at <= now() order by due_at, id limit ${sql.lit(DUE_MAX)}
    for update`.execute(tx)
  const due = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const id_time = rows.length === 0 ? found.now : await nextIdTime(tx)
  return { now: found.now, id_time, due, is_more: rows.length === DUE_MAX }
}

const ID_TIMES = 'notifications.router'

/**
 * Messages are sent in the order of their ids. Two runs within a millisecond, or a transaction that began before
 * another one and got the lock after it, would give an end a lower id than its start.
 */
async function nextIdTime(tx: Db): Promise<Date> {
  await sql`insert into notification_progress (name, until) values (${ID_TIMES}, 'epoch')
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ until: Date }>`
    select greatest(date_trunc('milliseconds', clock_timestamp()),
      until + interval '1 millisecond') as until
    from notification_progress where name = ${ID_TIMES} for update`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('The time of the ids of messages was not read')
  await sql`update notification_progress set until = ${row.until} where name = ${ID_TIMES}`.execute(
    tx,
  )
  return row.until
}

/** Routes of a member also have the browsers of that member. */
export async function listRoutesOf(
  tx: Db,
  orgIds: readonly string[],
): Promise<(Route & { org_id: string })[]> {
  const { rows } = await sql<Route & { org_id: string }>`
    select r.org_id, r.user_id, r.subject, r.rule_id, r.min_severity, r.repeat_minutes, r.quiet_hours,
      r.muted_until, r.channel_ids || coalesce(b.ids, '{}') as channel_ids
    from notification_routes r
    left join lateral (
      select array_agg(id) as ids from notification_channels
      where org_id = r.org_id and browser_of = r.user_id and cardinality(r.channel_ids) > 0
    ) b on true
    where r.org_id = any (${uuidArray(orgIds)}::uuid[])`.execute(tx)
  return rows
}

export type RoutedChannel = {
  org_id: string
  id: string
  kind: ChannelKind
  per_hour_max: number
}

export async function listChannelsOf(tx: Db, orgIds: readonly string[]): Promise<RoutedChannel[]> {
  return await tx
    .selectFrom('notification_channels')
    .select(['org_id', 'id', 'kind', 'per_hour_max'])
    .where('org_id', 'in', [...orgIds])
    .execute()
}

export type RecentOfSubject = Recent & { channel_id: string; subject: string }

/** What channels were sent, or will be, that was written in the last hour, by subject. */
export async function readRecent(
  tx: Db,
  channels: readonly RoutedChannel[],
): Promise<RecentOfSubject[]> {
  const { rows } = await sql<RecentOfSubject>`
    select m.channel_id, m.subject, max(m.created_at) as same_subject_at,
      count(*)::integer as in_hour, min(m.created_at) as first_in_hour_at
    from unnest(${uuidArray(channels.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(channels.map(({ id }) => id))}::uuid[]) as c (org_id, id)
    join notification_messages m on m.org_id = c.org_id and m.channel_id = c.id
    where m.created_at > now() - interval '1 hour' and m.step <> 'test'
    group by m.channel_id, m.subject`.execute(tx)
  return rows
}

export type NewMessage = {
  org_id: string
  channel_id: string
  id: string
  subject: string
  step: Step
  hold: Hold | null
  due_at: Date
  items: Item[]
}

export async function insertMessages(tx: Db, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into notification_messages (org_id, channel_id, id, subject, step, hold, items, due_at,
      created_at)
    select org_id, channel_id, id, subject, step, hold, items, due_at, now()
    from json_to_recordset(${JSON.stringify(messages)}::json) as m (
      org_id uuid, channel_id uuid, id uuid, subject text, step text, hold text, items jsonb,
      due_at timestamptz)`.execute(tx)
}

/** A message that waits takes in this many notifications, the next one the others. */
export const ITEMS_MAX = 500

/** @returns whether a message that waits for the same reason took them in */
export async function joinWaiting(tx: Db, message: NewMessage): Promise<boolean> {
  const { org_id, channel_id, subject, hold, items } = message
  const { numAffectedRows } = await sql`
    update notification_messages m set items = m.items || ${JSON.stringify(items)}::jsonb
    from (
      select org_id, channel_id, id from notification_messages
      where org_id = ${org_id} and channel_id = ${channel_id} and due_at > now()
        and attempts = 0 and hold = ${hold} and (hold <> 'grouping' or subject = ${subject})
        and jsonb_array_length(items) <= ${ITEMS_MAX - items.length}::integer
      order by id desc limit 1 for update
    ) w
    where m.org_id = w.org_id and m.channel_id = w.channel_id and m.id = w.id`.execute(tx)
  return numAffectedRows === 1n
}

export type NextLook = { org_id: string; id: string; due_at: Date | null; told: string[] }

export async function setNextLooks(tx: Db, looks: readonly NextLook[]): Promise<void> {
  await sql`
    update notifications n set due_at = l.due_at, told = l.told
    from json_to_recordset(${JSON.stringify(looks)}::json) as l (
      org_id uuid, id uuid, due_at timestamptz, told uuid[])
    where n.org_id = l.org_id and n.id = l.id`.execute(tx)
}
