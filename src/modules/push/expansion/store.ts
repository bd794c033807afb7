/** SQL of making recipients of the target of a message. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import type { PushProvider, PushTarget } from '../../../platform/postgres/tables/push.ts'
import { REACHABLE } from '../subscriptions/store.ts'

export type Expandable = {
  id: string
  application_id: string
  target: PushTarget
  expanded_provider: PushProvider | null
  expanded_after: string | null
  /** The application was deleted. */
  is_orphaned: boolean
  /** Its time is over: nothing of it is sent any more. */
  is_late: boolean
  /** Providers whose devices the app is on. */
  configured: PushProvider[]
  /** Providers for which there is a credential. */
  credentialed: PushProvider[]
}

/**
 * Keeps whoever expands the same message at a distance until the end of the transaction. Not by a lock
 * of its row: those who settle what is sent of it already would wait for each step, and steps for them.
 */
export async function takeExpansion(tx: Db, messageId: string): Promise<boolean> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`push_expansion:${messageId}`}, 0)) as is_taken
    `.execute(tx)
  return rows[0]?.is_taken === true
}

/** A statement after the lock, so that it sees what the step before has written. */
export async function findExpandable(tx: Db, messageId: string): Promise<Expandable | undefined> {
  const { rows } = await sql<Expandable>`
    select m.id, m.application_id, m.target, m.expanded_provider, m.expanded_after,
      a.id is null as is_orphaned, m.give_up_at <= now() as is_late,
      array_remove(array[case when c.android_package_name is not null then 'fcm' end,
        case when c.ios_bundle_id is not null then 'apns' end], null) as configured,
      array(select provider from push_credentials where application_id = m.application_id)
        as credentialed
    from push_messages m
    left join applications a on a.id = m.application_id and a.deleted_at is null
    left join push_configurations c on c.application_id = m.application_id
    where m.id = ${messageId} and ${IS_DUE}`.execute(tx)
  return rows[0]
}

const IS_DUE = sql`expand_at <= clock_timestamp()`

export type Portion = {
  provider: PushProvider
  /** Only subscriptions behind this one. */
  after: string | null
  limit: number
  /** Why nothing is sent to them; null: they are sent. */
  reason: string | null
}

export type Made = { made: number; last_id: string | null }

const BATCH_RECIPIENTS_MAX = 100
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Recipients of the next subscriptions in the order of their ids, in batches. */
export async function insertRecipients(
  tx: Db,
  message: Pick<Expandable, 'id' | 'application_id' | 'target'>,
  { provider, after, limit, reason }: Portion,
): Promise<Made> {
  const { id, application_id, target } = message
  const isAfter = sql`provider = ${provider} and id > ${after ?? BEFORE_ALL}::uuid`
  const { rows } = await sql<Made>`
    with next as materialized (
      select id from (${audienceOf(message, isAfter)}) audience order by id limit ${limit}::integer
    ), recipients as (
      insert into push_recipients
        (message_id, provider, subscription_id, status, reason, settled_at)
      select ${id}::uuid, ${provider}::text, id,
        case when ${reason}::text is null then 'pending' else 'failed' end, ${reason}::text,
        case when ${reason}::text is not null then now() end
      from next
    ), batches as (
      insert into push_batches (application_id, provider, message_id, first_id, last_id,
        is_broadcast, recipients, due_at)
      select ${application_id}::uuid, ${provider}::text, ${id}::uuid, (array_agg(id order by id))[1],
        (array_agg(id order by id desc))[1], ${target === 'all'}::boolean, count(*), now()
      from (select id, (row_number() over (order by id) - 1) / ${BATCH_RECIPIENTS_MAX}::integer as part
        from next) numbered
      where ${reason}::text is null group by part
    )
    select count(*) as made, (select id from next order by id desc limit 1) as last_id
    from next`.execute(tx)
  return rows[0] ?? { made: 0, last_id: null }
}

/** Subscriptions that can be reached now and that the targets name. */
export async function countAudience(
  tx: Db,
  message: Pick<Expandable, 'id' | 'application_id' | 'target'>,
): Promise<number> {
  // All of an application are counted sooner in the order in which they lie.
  if (message.target !== 'all') await preferIndexes(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${audienceOf(message, sql`true`)}) audience`.execute(tx)
  return rows[0]?.count ?? 0
}

/** @param which condition on a row of `push_subscriptions` */
function audienceOf(
  { id, application_id, target }: Pick<Expandable, 'id' | 'application_id' | 'target'>,
  which: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const isOfApplication = sql`application_id = ${application_id}::uuid`
  if (target === 'all') {
    return sql`select id from push_subscriptions
      where ${isOfApplication} and ${REACHABLE} and ${which}`
  }
  const isTold =
    target === 'external_user_ids' ? sql`external_user_id = told_id` : sql`id = told_id::uuid`
  // One by one, each by its own index, however many there are. Nothing else is said where the index is
  // chosen: a range of ids would lead to all subscriptions of the application, for each that is told.
  return sql`select found.id
    from (select distinct unnest(target_ids) as told_id from push_messages where id = ${id}::uuid) told
    cross join lateral (
      select id, provider, permission, invalidated_at from push_subscriptions
      where ${isOfApplication} and ${isTold} offset 0
    ) found
    where ${REACHABLE} and ${which}`
}

export type Progress = {
  made: number
  failed: number
  provider: PushProvider
  after: string | null
  is_done: boolean
}

/**
 * To the back of those that are to be expanded, or to its end.
 * @returns false when it was cancelled or put off since it was read
 */
export async function advance(
  tx: Db,
  { id, expanded_provider, expanded_after }: Expandable,
  { made, failed, provider, after, is_done }: Progress,
): Promise<boolean> {
  const { rows } = await sql`
    update push_messages set status = 'sending',
      recipients = recipients + ${made}::integer, failed = failed + ${failed}::integer,
      expanded_provider = ${provider}, expanded_after = ${after}::uuid,
      expand_at = case when ${is_done}::boolean then null else clock_timestamp() end
    where id = ${id} and ${IS_DUE} and expanded_provider is not distinct from ${expanded_provider}::text
      and expanded_after is not distinct from ${expanded_after}::uuid
    returning id`.execute(tx)
  return rows.length > 0
}

/** Of what belongs to an application that was deleted. */
export async function endOrphan(tx: Db, messageId: string): Promise<void> {
  await sql`
    update push_messages set status = 'cancelled', expand_at = null, completed_at = clock_timestamp()
    where id = ${messageId} and completed_at is null`.execute(tx)
  await sql`delete from push_batches where message_id = ${messageId}`.execute(tx)
}

/** Those that waited longest, without those that this process is expanding. */
export async function listExpandable(
  db: Db,
  limit: number,
  without: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from push_messages
    where ${IS_DUE} and id <> all (${[...without]}::uuid[])
    order by expand_at limit ${limit}::integer`.execute(db)
  return rows.map(({ id }) => id)
}

/** After a step that failed, so that it does not hold up the others. */
export async function putOff(db: Db, messageId: string, seconds: number): Promise<void> {
  await sql`
    update push_messages set expand_at = now() + ${seconds}::float8 * interval '1 second'
    where id = ${messageId} and ${IS_DUE}`.execute(db)
}
