/**
 * SQL of claiming and settling messages. A channel has one message under way, and its messages are sent in
 * the order of their ids; only those that are held are passed over. Times are those of the database.
 */
import { sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { NotificationTables } from './tables.ts'

export type ClaimQuery = {
  lease_id: string
  lease_ms: number
  messages_max: number
  /** Limit for all channels together of which the last message failed. */
  failing_max: number
  /** Organizations that have all the messages under way that they may have. */
  full_orgs: readonly string[]
}

type Message = NotificationTables['notification_messages']
type Channel = NotificationTables['notification_channels']

/** `attempts` includes the one that the claim starts. */
export type ClaimedMessage = Pick<
  Message,
  'org_id' | 'channel_id' | 'id' | 'items' | 'attempts' | 'created_at'
> &
  Pick<Channel, 'kind' | 'config' | 'sealed' | 'user_id' | 'browser_of'> & {
    lease_id: string
    was_failing: boolean
  }

/** Most messages are found through the few channels that have any. */
export async function claimMessages(db: Db, query: ClaimQuery): Promise<ClaimedMessage[]> {
  const { rows } = await sql<ClaimedMessage>`
    with recursive channel (id) as (
      (select channel_id from notification_messages where due_at is not null
        order by channel_id limit 1)
      union all
      select (select m.channel_id from notification_messages m
        where m.due_at is not null and m.channel_id > c.id order by m.channel_id limit 1)
      from channel c where c.id is not null
    ), ready as (
      select h.org_id, h.channel_id, h.id, h.due_at, w.failing_since is not null as is_failing
      from channel c cross join lateral (
        select org_id, channel_id, id, due_at, leased_until from notification_messages
        where channel_id = c.id and due_at is not null and (due_at <= now() or attempts > 0)
        order by id limit 1
      ) h join notification_channels w on w.org_id = h.org_id and w.id = h.channel_id
      where h.due_at <= now() and (h.leased_until is null or h.leased_until <= now())
        and h.org_id <> all (${uuidArray(query.full_orgs)}::uuid[])
    ), picked as (
      select *, row_number() over (partition by is_failing order by due_at, id) as place from ready
    ), locked as (
      select m.org_id, m.channel_id, m.id from picked p
      join notification_messages m
        on m.org_id = p.org_id and m.channel_id = p.channel_id and m.id = p.id
      where (not p.is_failing or p.place <= ${query.failing_max}::integer)
        and m.due_at <= now() and (m.leased_until is null or m.leased_until <= now())
      order by p.due_at, p.id limit ${query.messages_max}::integer for update of m skip locked
    ), claimed as (
      update notification_messages m set attempts = m.attempts + 1,
        lease_id = ${query.lease_id}::uuid,
        leased_until = now() + ${query.lease_ms}::float8 * interval '1 millisecond'
      from locked l where m.org_id = l.org_id and m.channel_id = l.channel_id and m.id = l.id
      returning m.*
    )
    select c.org_id, c.channel_id, c.id, c.items, c.attempts, c.created_at, c.lease_id, w.kind,
      w.config, w.sealed, w.user_id, w.browser_of, w.failing_since is not null as was_failing
    from claimed c join notification_channels w on w.org_id = c.org_id and w.id = c.channel_id
    order by c.id`.execute(db)
  return rows
}

export type SettledMessage = {
  org_id: string
  channel_id: string
  id: string
  lease_id: string
  status: 'pending' | 'succeeded' | 'failed'
  /** Time until the next attempt; null when there is none. */
  delay_ms: number | null
  response_status: number | null
  response_body: string | null
  error: string | null
  latency_ms: number
}

/** If its lease has passed to another claim, a message stays as it is; its channel is updated all the same. */
export async function settleMessages(
  db: Database,
  settled: readonly SettledMessage[],
): Promise<void> {
  if (settled.length === 0) return
  const rows = JSON.stringify(settled)
  await db.transaction().execute(async (tx) => {
    await sql`
      update notification_messages m set status = r.status,
        due_at = r.due_at, lease_id = null, leased_until = null,
        attempted_at = now(), response_status = r.response_status,
        response_body = r.response_body, error = r.error, latency_ms = r.latency_ms
      from (
        select s.*, now() + s.delay_ms * interval '1 millisecond' as due_at
        from json_to_recordset(${rows}::json) as s (
          org_id uuid, channel_id uuid, id uuid, lease_id uuid, status text, delay_ms float8,
          response_status integer, response_body text, error text, latency_ms integer)
      ) r
      where m.org_id = r.org_id and m.channel_id = r.channel_id and m.id = r.id
        and m.lease_id = r.lease_id`.execute(tx)
    await sql`
      update notification_channels c set
        verified_at = case when r.error is null then coalesce(c.verified_at, r.at)
          else c.verified_at end,
        failing_since = case when r.error is not null then coalesce(c.failing_since, r.at) end,
        last_error = r.error
      from (
        select distinct on (org_id, channel_id) r.*, now() as at
        from json_to_recordset(${rows}::json) as r (
          org_id uuid, channel_id uuid, id uuid, error text)
        order by org_id, channel_id, id desc
      ) r
      where c.org_id = r.org_id and c.id = r.channel_id`.execute(tx)
  })
}

/** Undoes the claim, including the attempt that it counted. */
export async function releaseMessages(db: Db, messages: readonly ClaimedMessage[]): Promise<void> {
  if (messages.length === 0) return
  const refs = messages.map(({ org_id, channel_id, id, lease_id }) => ({
    org_id,
    channel_id,
    id,
    lease_id,
  }))
  await sql`
    update notification_messages m
    set attempts = m.attempts - 1, lease_id = null, leased_until = null
    from json_to_recordset(${JSON.stringify(refs)}::json) as r (
      org_id uuid, channel_id uuid, id uuid, lease_id uuid)
    where m.org_id = r.org_id and m.channel_id = r.channel_id and m.id = r.id
      and m.lease_id = r.lease_id`.execute(db)
}
