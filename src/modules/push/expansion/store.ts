/** SQL of expanding messages into recipients. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import { REACHABLE } from '../subscriptions/store.ts'
import type { PushProvider, PushTarget } from '../tables.ts'

export type Expandable = {
  org_id: string
  id: string
  application_id: string
  target: PushTarget
  expanded_provider: PushProvider | null
  expanded_after: string | null
  /** The application was deleted. */
  is_orphaned: boolean
  /** `give_up_at` has passed: nothing more is sent. */
  is_late: boolean
  /** Providers for which the app has a name. */
  configured: PushProvider[]
  /** Providers for which a credential is stored. */
  credentialed: PushProvider[]
}

/**
 * Excludes other expansions of the same message until the end of the transaction. An advisory lock,
 * because a lock of the row would make settling and expanding the same message wait for each other.
 */
export async function lockExpansion(tx: Db, messageId: string): Promise<boolean> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`push_expansion:${messageId}`}, 0)) as is_taken
    `.execute(tx)
  return rows[0]?.is_taken === true
}

/** Runs after the lock as a separate statement, so that it sees what the previous step wrote. */
export async function findExpandable(tx: Db, messageId: string): Promise<Expandable | undefined> {
  const { rows } = await sql<Expandable>`
    select m.org_id, m.id, m.application_id, m.target, m.expanded_provider, m.expanded_after,
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

const IS_DUE = sql`expand_at <= statement_timestamp()`

export type Portion = {
  provider: PushProvider
  /** Only subscriptions with a greater id. */
  after: string | null
  limit: number
  /** Reason to create the recipients as failed; null creates them as pending. */
  reason: string | null
}

export type InsertedPortion = { inserted: number; last_id: string | null }

const BATCH_RECIPIENTS_MAX = 100
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Inserts recipients for the next subscriptions in the order of their ids, grouped into batches. */
export async function insertRecipients(
  tx: Db,
  message: Pick<Expandable, 'org_id' | 'id' | 'application_id' | 'target'>,
  { provider, after, limit, reason }: Portion,
): Promise<InsertedPortion> {
  const { org_id, id, application_id, target } = message
  const isAfter = sql`provider = ${provider} and id > ${after ?? BEFORE_ALL}::uuid`
  const { rows } = await sql<InsertedPortion>`
    with next as materialized (
      select id from (${audienceOf(message, isAfter)}) audience order by id limit ${limit}::integer
    ), recipients as (
      insert into push_recipients
        (org_id, message_id, provider, subscription_id, status, reason, settled_at)
      select ${org_id}::uuid, ${id}::uuid, ${provider}::text, id,
        case when ${reason}::text is null then 'pending' else 'failed' end, ${reason}::text,
        case when ${reason}::text is not null then now() end
      from next
    ), batches as (
      insert into push_batches (org_id, application_id, provider, message_id, first_id, last_id,
        is_broadcast, recipients, due_at)
      select ${org_id}::uuid, ${application_id}::uuid, ${provider}::text, ${id}::uuid, (array_agg(id order by id))[1],
        (array_agg(id order by id desc))[1], ${target === 'all'}::boolean, count(*), now()
      from (select id, (row_number() over (order by id) - 1) / ${BATCH_RECIPIENTS_MAX}::integer as part
        from next) numbered
      where ${reason}::text is null group by part
    )
    select count(*) as inserted, (select id from next order by id desc limit 1) as last_id
    from next`.execute(tx)
  return rows[0] ?? { inserted: 0, last_id: null }
}

/** Number of subscriptions in the target that are currently reachable. */
export async function countAudience(
  tx: Db,
  message: Pick<Expandable, 'org_id' | 'id' | 'application_id' | 'target'>,
): Promise<number> {
  // A sequential scan counts all subscriptions of an application faster.
  if (message.target !== 'all') await preferIndexes(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${audienceOf(message, sql`true`)}) audience`.execute(tx)
  return rows[0]?.count ?? 0
}

/** @param condition on a row of `push_subscriptions` */
function audienceOf(
  message: Pick<Expandable, 'org_id' | 'id' | 'application_id' | 'target'>,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { org_id, id, application_id, target } = message
  // The indexes of reachable and of known subscriptions hold everything that is read, but no organization.
  const inApplication = sql`application_id = ${application_id}::uuid`
  if (target === 'all') {
    return sql`select id from push_subscriptions
      where ${inApplication} and ${REACHABLE} and ${condition}`
  }
  const isTarget =
    target === 'external_user_ids'
      ? sql`external_user_id = target_id`
      : sql`org_id = ${org_id}::uuid and id = target_id::uuid`
  // Looks up targets one by one, so that each uses its index. Other conditions stay outside of the
  // lateral query: with a range of ids in it, the planner would read all subscriptions per target.
  return sql`select found.id
    from (select distinct unnest(target_ids) as target_id from push_messages where id = ${id}::uuid) targets
    cross join lateral (
      select id, provider, permission, invalidated_at from push_subscriptions
      where ${inApplication} and ${isTarget} offset 0
    ) found
    where ${REACHABLE} and ${condition}`
}

export type Progress = {
  inserted: number
  failed: number
  provider: PushProvider
  after: string | null
  is_done: boolean
}

/**
 * Records the progress and moves the message to the back of the queue, or out of it when done.
 * @returns false when the message was canceled or rescheduled since it was read
 */
export async function advance(
  tx: Db,
  { id, expanded_provider, expanded_after }: Expandable,
  { inserted, failed, provider, after, is_done }: Progress,
): Promise<boolean> {
  const { rows } = await sql`
    update push_messages set status = 'sending',
      recipients = recipients + ${inserted}::integer, failed = failed + ${failed}::integer,
      expanded_provider = ${provider}, expanded_after = ${after}::uuid,
      expand_at = ${is_done ? sql`null` : sql`statement_timestamp()`}
    where id = ${id} and ${IS_DUE} and expanded_provider is not distinct from ${expanded_provider}::text
      and expanded_after is not distinct from ${expanded_after}::uuid
    returning id`.execute(tx)
  return rows.length > 0
}

/** Cancels a message whose application was deleted. */
export async function endOrphan(tx: Db, messageId: string): Promise<void> {
  await sql`
    update push_messages set status = 'cancelled', expand_at = null, completed_at = statement_timestamp()
    where id = ${messageId} and completed_at is null`.execute(tx)
  await sql`delete from push_batches where message_id = ${messageId}`.execute(tx)
}

/** @param without ids of messages that this process is already expanding */
export async function listExpandable(db: Db, limit: number, without: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select id from push_messages
    where ${IS_DUE} and id <> all (${[...without]}::uuid[])
    order by expand_at limit ${limit}::integer`.execute(db)
  return rows.map(({ id }) => id)
}

/** Moves a message whose step failed behind the others. */
export async function postpone(db: Db, messageId: string, seconds: number): Promise<void> {
  await sql`
    update push_messages set expand_at = now() + ${seconds}::float8 * interval '1 second'
    where id = ${messageId} and ${IS_DUE}`.execute(db)
}
