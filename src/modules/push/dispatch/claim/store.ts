/**
 * SQL of claiming batches. All times are compared by the clock of the database, so that nodes with
 * different clocks do not take over each other's leases.
 */
import { type RawBuilder, sql } from 'kysely'
import { numberArray, textArray, uuidArray } from '../../../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { lastStatement } from '../../../../platform/postgres/dialect.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import { shuffled } from '../../../../platform/postgres/shuffled.ts'
import { REACHABLE } from '../../subscriptions/store.ts'
import type { PushProvider } from '../../tables.ts'
import type { BatchKey, ClaimedMessage, Job } from '../job.ts'

export type ChannelKey = { application_id: string; provider: PushProvider }

export type ClaimQuery = {
  /** Marks the batches of this claim. */
  lease_id: string
  lease_ms: number
  recipients_max: number
  /** Limit of recipients per app and provider, including those that this process is sending. */
  channel_max: number
  /** The same limit after a pause, until something is accepted. */
  probing_max: number
  /** Number of recipients that this process is sending to, per app and provider. */
  in_flight: readonly (ChannelKey & { jobs: number })[]
  /** Number of apps and providers to examine, starting after `after`. */
  channels_max: number
  after: ChannelKey
}

export type ClaimedBatch = ChannelKey & {
  org_id: string
  message_id: string
  first_id: string
  last_id: string
  /** Another process had leased the batch, and the lease expired. */
  was_leased: boolean
  version: string
  /** Sealed credential, on one batch per app and provider. */
  sealed: string | null
  is_probing: boolean
  is_untested: boolean
  app_name: string | null
}

export type ClaimedBatches = {
  batches: ClaimedBatch[]
  /** Last app and provider that were examined, when there are more. */
  stopped_at: ChannelKey | undefined
}

/**
 * Hops from app to app in the index of due batches and examines a few batches of each, so that the backlog
 * of one costs the others nothing. Batches go first whose app has the fewest recipients ahead of them,
 * examined or under way.
 */
export async function claimBatches(db: Database, query: ClaimQuery): Promise<ClaimedBatches> {
  const { after, in_flight, channels_max } = query
  const { rows } = await byIndex<ClaimedBatch & { looked_at: number; last: ChannelKey | null }>(
    db,
    sql`
    with recursive channel (application_id, provider, place) as (
      (select application_id, provider, 1 from push_batches
        where (application_id, provider) > (${after.application_id}::uuid, ${after.provider}::text)
        order by application_id, provider limit 1)
      union all
      select next.application_id, next.provider, c.place + 1
      from channel c cross join lateral (
        select application_id, provider from push_batches b
        where (b.application_id, b.provider) > (c.application_id, c.provider)
        order by b.application_id, b.provider limit 1
      ) next
      where c.place < ${channels_max}::integer
    ), ready as materialized (
      select c.application_id, c.provider, coalesce(u.jobs, 0)::integer as jobs, k.most
      from channel c cross join lateral (
        select case when pauses > 0 then ${query.probing_max}::integer
          else ${query.channel_max}::integer end as most
        from push_credentials
        where application_id = c.application_id and provider = c.provider
          and status <> 'needs_attention' and (paused_until is null or paused_until <= now())
          and exists (select from applications where id = c.application_id and deleted_at is null)
        limit 1
      ) k
      left join unnest(${uuidArray(in_flight.map(({ application_id }) => application_id))}::uuid[],
        ${textArray(in_flight.map(({ provider }) => provider))}::text[],
        ${numberArray(in_flight.map(({ jobs }) => jobs))}::float8[]
      ) as u (application_id, provider, jobs)
        on u.application_id = c.application_id and u.provider = c.provider
      where coalesce(u.jobs, 0) < k.most
    ), picked as (
      select r.most, b.*, ${shuffled(sql`b.first_id`)} as lot,
        r.jobs + sum(b.recipients) over (partition by r.application_id, r.provider
          order by b.is_broadcast, b.due_at, b.message_id, b.first_id rows unbounded preceding)
          - b.recipients as ahead
      from ready r cross join lateral (
        ${freeOf(sql`is_broadcast = false`, query.recipients_max)}
        union all
        ${freeOf(sql`is_broadcast = true`, query.recipients_max / BROADCAST_BATCH_MIN)}
      ) b
    ), fair as (
      select *, sum(recipients) over (order by ahead, lot, message_id, first_id
        rows unbounded preceding) - recipients as taken
      from picked where ahead = 0 or ahead + recipients <= most
    ), locked as materialized (
      select b.message_id, b.provider, b.first_id, b.was_leased
      from fair f cross join lateral (
        select message_id, provider, first_id, lease_id is not null as was_leased from push_batches
        where message_id = f.message_id and provider = f.provider and first_id = f.first_id
          -- Checked again, because another process may have changed the row. Adding an interval
          -- keeps the planner from searching the index of due times for it.
          and due_at + interval '0' <= now() and (leased_until is null or leased_until <= now())
        for update skip locked
      ) b
      where f.taken = 0 or f.taken + f.recipients <= ${query.recipients_max}::integer
    ), claimed as (
      update push_batches b set lease_id = ${query.lease_id}::uuid,
        leased_until = now() + ${query.lease_ms}::float8 * interval '1 millisecond'
      from locked l
      where b.message_id = l.message_id and b.provider = l.provider and b.first_id = l.first_id
      returning b.org_id, b.application_id, b.provider, b.message_id, b.first_id, b.last_id, l.was_leased
    )
    select c.*, k.version, k.pauses > 0 as is_probing, k.accepted_at is null as is_untested,
      case when row_number() over (partition by c.application_id, c.provider) = 1
        then k.sealed end as sealed,
      case when c.provider = 'fcm' then p.android_package_name else p.ios_bundle_id end as app_name,
      looked.at as looked_at, looked.last
    from (
      select count(*) as at, (array_agg(json_build_object('application_id', application_id,
        'provider', provider) order by place desc))[1] as last
      from channel
    ) looked
    left join claimed c on true
    left join push_credentials k
      on k.application_id = c.application_id and k.provider = c.provider
    left join push_configurations p on p.application_id = c.application_id`,
  )
  const [first] = rows
  const isCut = first !== undefined && first.looked_at >= channels_max
  return {
    batches: rows.filter(({ message_id }) => message_id !== null),
    stopped_at: isCut ? (first.last ?? undefined) : undefined,
  }
}

/** Lower estimate of the recipients in a batch of a broadcast; only the last batch may have fewer. */
const BROADCAST_BATCH_MIN = 25

/** Due batches of the app `r` that are not leased. The limit is divided among all apps. */
const freeOf = (condition: RawBuilder<unknown>, limit: number) => sql`(
  select application_id, provider, message_id, first_id, recipients, is_broadcast, due_at
  from push_batches
  where application_id = r.application_id and provider = r.provider and ${condition}
    and due_at <= now() and (leased_until is null or leased_until <= now())
  order by due_at limit greatest(4, ${limit}::float8 / (select count(*) from ready))::bigint)`

export type Recipient = Omit<Job, 'batch'> & {
  /** Index of its batch in the `batches` of the query. */
  batch: number
}

/**
 * Due recipients of claimed batches, in the order of their ids within each batch. Runs after the claim is
 * committed, so that it sees what previous holders of the leases wrote.
 */
export async function listRecipients(db: Database, batches: readonly ClaimedBatch[]) {
  const claimed = sql`unnest(
    ${uuidArray(batches.map(({ org_id }) => org_id))}::uuid[],
    ${uuidArray(batches.map(({ application_id }) => application_id))}::uuid[],
    ${textArray(batches.map(({ provider }) => provider))}::text[],
    ${uuidArray(batches.map(({ message_id }) => message_id))}::uuid[],
    ${uuidArray(batches.map(({ first_id }) => first_id))}::uuid[],
    ${uuidArray(batches.map(({ last_id }) => last_id))}::uuid[]
  ) with ordinality as c (org_id, application_id, provider, message_id, first_id, last_id, place)`
  const messageIds = uuidArray([...new Set(batches.map(({ message_id }) => message_id))])
  // The ids leave out partitions before the statement is planned.
  const isOf = sql`org_id = c.org_id and message_id = c.message_id and provider = c.provider
    and message_id = any (${messageIds}::uuid[])
    and subscription_id between c.first_id and c.last_id and status = 'pending'`
  return await db.transaction().execute(async (tx) => {
    const wereLeased = batches.some(({ was_leased }) => was_leased)
    const [, , { rows }] = await Promise.all([
      preferIndexes(tx),
      wereLeased ? awaitWriters(tx, claimed, isOf) : undefined,
      lastStatement(sql<Recipient>`
        select (c.place - 1)::integer as batch, r.subscription_id, r.attempts, r.is_unsure,
          s.token, s.external_user_id
        from ${claimed} cross join lateral (
          select subscription_id, attempts, is_unsure from push_recipients
          where ${isOf} and (due_at is null or due_at <= now())
          order by subscription_id offset 0
        ) r left join lateral (
          select case when ${REACHABLE} then token end as token, external_user_id
          from push_subscriptions
          where org_id = c.org_id and application_id = c.application_id
            and id = r.subscription_id limit 1
        ) s on true`).execute(tx),
    ])
    return rows
  })
}

/**
 * Waits for processes that lost a lease and are still writing outcomes. Locks in the order in which they
 * write.
 */
async function awaitWriters(tx: Db, claimed: RawBuilder<unknown>, isOf: RawBuilder<unknown>) {
  await sql`
    select count(*) from (
      select * from ${claimed} order by message_id, provider, first_id
    ) c cross join lateral (
      select from push_recipients where ${isOf}
      order by message_id, provider, subscription_id for share
    ) r`.execute(tx)
}

/** Whether the outcome of a recipient is still open. */
export async function isPending(
  db: Db,
  { org_id, message_id, provider }: BatchKey,
  subscriptionId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from push_recipients where org_id = ${org_id} and message_id = ${message_id}
      and provider = ${provider} and subscription_id = ${subscriptionId} and status = 'pending'`.execute(
    db,
  )
  return rows.length > 0
}

export type SentMessage = Omit<ClaimedMessage, 'users'> & {
  /** Null unless the message targets users. */
  user_ids: string[] | null
}

/** @returns the messages that exist, in any order */
export async function listMessages(db: Database, ids: readonly string[]): Promise<SentMessage[]> {
  const { rows } = await byIndex<SentMessage>(
    db,
    sql`
    select id, content, send_at, give_up_at,
      case when target = 'external_user_ids' then target_ids end as user_ids
    from push_messages where id = any (${uuidArray(ids)}::uuid[])`,
  )
  return rows
}

async function byIndex<Row>(db: Database, statement: RawBuilder<Row>) {
  return await db.transaction().execute(async (tx) => {
    const [, result] = await Promise.all([preferIndexes(tx), lastStatement(statement).execute(tx)])
    return result
  })
}
