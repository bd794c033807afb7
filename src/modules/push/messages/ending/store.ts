/** SQL of the end of messages: of what has to fail of them, and of the rows that they leave. */
import { sql } from 'kysely'
import { uuidArray } from '../../../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import { completeMessages } from '../store.ts'

const OVERDUE_AT_ONCE = 1000
const BATCHES_AT_ONCE = 50
const RECIPIENTS_AT_ONCE = 10_000
const SWEPT_AT_ONCE = 100

/** Messages whose time is over and that have not ended, those first that wait longest. */
export async function listOverdue(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from push_messages
    where completed_at is null and give_up_at <= now() and expand_at is null
    order by give_up_at limit ${OVERDUE_AT_ONCE}`.execute(db)
  return rows.map(({ id }) => id)
}

export type Portion = {
  /** That have failed. */
  recipients: number
  /** There may be more. */
  is_more: boolean
}

type Failed = { batches: number; recipients: number; first_ids: string[] }

/**
 * Fails what waits in some batches that nobody has.
 * Recipients, then the message, then batches: in the order in which outcomes are written.
 */
export async function expirePortion(tx: Db, messageId: string): Promise<Portion> {
  await preferIndexes(tx)
  const { rows } = await sql<Failed>`
    with picked as materialized (
      select b.provider, b.first_id, b.last_id,
        case when c.status = 'needs_attention' then 'credential_rejected'
          when c.status is null then 'no_credential' else 'expired' end as reason
      from push_batches b left join push_credentials c
        on c.application_id = b.application_id and c.provider = b.provider
      where b.message_id = ${messageId} and ${IS_FREE}
      order by b.provider, b.first_id limit ${BATCHES_AT_ONCE}
    ), locked as materialized (
      -- Batch by batch: a join may read all recipients of the message, for each portion.
      select r.provider, r.subscription_id, p.reason
      from (select * from picked order by provider, first_id) p cross join lateral (
        select provider, subscription_id from push_recipients
        where message_id = ${messageId} and provider = p.provider and status = 'pending'
          and subscription_id between p.first_id and p.last_id
        order by provider, subscription_id for update
      ) r
    ), failed as (
      update push_recipients r set status = 'failed', reason = l.reason, due_at = null,
        settled_at = clock_timestamp()
      from locked l where r.message_id = ${messageId} and r.provider = l.provider
        and r.subscription_id = l.subscription_id
      returning 1
    )
    select (select count(*) from picked) as batches, (select count(*) from failed) as recipients,
      array(select first_id from picked)::text[] as first_ids`.execute(tx)
  const { batches = 0, recipients = 0, first_ids = [] } = rows[0] ?? {}
  await sql`
    update push_messages set failed = failed + ${recipients}::integer
    where id = ${messageId}`.execute(tx)
  await sql`
    delete from push_batches b
    where b.message_id = ${messageId} and b.first_id = any (${first_ids}::uuid[]) and ${IS_FREE}
      and not exists (select from push_recipients r where r.message_id = b.message_id
        and r.provider = b.provider and r.subscription_id between b.first_id and b.last_id
        and r.status = 'pending')`.execute(tx)
  await completeMessages(tx, [messageId])
  return { recipients, is_more: batches === BATCHES_AT_ONCE }
}

const IS_FREE = sql`(b.leased_until is null or b.leased_until <= now())`

/** Messages that ended before that. @returns number of rows */
export async function sweepPushMessages(db: Database, before: Date): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from push_messages where created_at < ${before} and completed_at < ${before}
    order by created_at limit ${SWEPT_AT_ONCE}`.execute(db)
  return await deleteEnded(
    db,
    rows.map(({ id }) => id),
  )
}

/**
 * A portion of messages that have ended, each after its recipients: as outcomes and receipts are written,
 * and never a recipient without its message.
 * @returns number of rows
 */
export async function deleteEnded(db: Database, messageIds: readonly string[]): Promise<number> {
  if (messageIds.length === 0) return 0
  const ids = uuidArray(messageIds)
  return await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    return (await deleteRecipients(tx, ids)) + (await deleteBare(tx, ids))
  })
}

/**
 * By the places of the rows: by their keys, the whole table is read to find them. One that is written
 * meanwhile has another place, and is left to the next portion.
 */
async function deleteRecipients(tx: Db, ids: Buffer): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_recipients where ctid = any (array(
      select r.place from unnest(${ids}::uuid[]) as m (id) cross join lateral (
        select ctid as place from push_recipients
        where message_id = m.id order by provider, subscription_id limit ${RECIPIENTS_AT_ONCE}
      ) r limit ${RECIPIENTS_AT_ONCE}))`.execute(tx)
  return Number(numAffectedRows)
}

/** Those of which nothing is left. */
async function deleteBare(tx: Db, ids: Buffer): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_messages m where id = any (${ids}::uuid[])
      and not exists (select from push_recipients r where r.message_id = m.id)
      and not exists (select from push_batches b where b.message_id = m.id)`.execute(tx)
  return Number(numAffectedRows)
}
