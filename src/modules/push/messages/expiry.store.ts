/** SQL of failing the recipients of expired messages. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import { completeMessages } from './store.ts'

const OVERDUE_AT_ONCE = 1000
const BATCHES_AT_ONCE = 50

/** Unfinished messages whose `give_up_at` has passed, oldest first. */
export async function listOverdue(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from push_messages
    where completed_at is null and give_up_at <= now() and expand_at is null
    order by give_up_at limit ${OVERDUE_AT_ONCE}`.execute(db)
  return rows.map(({ id }) => id)
}

export type Portion = {
  /** Number of recipients that failed. */
  recipients: number
  /** The message may have more batches. */
  is_more: boolean
}

type Failed = { batches: number; recipients: number; first_ids: string[] }

/**
 * Fails the pending recipients of some batches that are not leased. Writes recipients, then the message,
 * then batches: the order in which outcomes are written.
 */
export async function expirePortion(tx: Db, messageId: string): Promise<Portion> {
  await preferIndexes(tx)
  const { rows } = await sql<Failed>`
    with picked as materialized (
      select b.org_id, b.provider, b.first_id, b.last_id,
        case when c.status = 'needs_attention' then 'credential_rejected'
          when c.status is null then 'no_credential' else 'expired' end as reason
      from push_batches b left join push_credentials c
        on c.org_id = b.org_id and c.application_id = b.application_id and c.provider = b.provider
      where b.message_id = ${messageId} and ${IS_FREE}
      order by b.provider, b.first_id limit ${BATCHES_AT_ONCE}
    ), locked as materialized (
      -- Batch by batch, because a join could read all recipients of the message for each portion.
      select p.org_id, r.provider, r.subscription_id, p.reason
      from (select * from picked order by provider, first_id) p cross join lateral (
        select provider, subscription_id from push_recipients
        where org_id = p.org_id and message_id = ${messageId} and provider = p.provider
          and status = 'pending'
          and subscription_id between p.first_id and p.last_id
        order by provider, subscription_id for update
      ) r
    ), failed as (
      update push_recipients r set status = 'failed', reason = l.reason, due_at = null,
        settled_at = statement_timestamp()
      from locked l where r.org_id = l.org_id and r.message_id = ${messageId}
        and r.provider = l.provider and r.subscription_id = l.subscription_id
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
      and not exists (select from push_recipients r where r.org_id = b.org_id
        and r.message_id = b.message_id and r.provider = b.provider and r.subscription_id between b.first_id and b.last_id
        and r.status = 'pending')`.execute(tx)
  await completeMessages(tx, [messageId])
  return { recipients, is_more: batches === BATCHES_AT_ONCE }
}

const IS_FREE = sql`(b.leased_until is null or b.leased_until <= now())`
