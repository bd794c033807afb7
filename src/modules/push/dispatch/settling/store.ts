/**
 * SQL of settling. As everywhere in push, recipients are written first, then messages in the order of
 * their ids, then batches.
 */
import { sql } from 'kysely'
import { numberArray, textArray, uuidArray } from '../../../../platform/postgres/arrays.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { SubscriptionKey } from '../../subscriptions/store.ts'
import type { RecipientStatus } from '../../tables.ts'
import type { BatchKey } from '../job.ts'

export type LeasedBatch = BatchKey & { readonly lease_id: string }

export type RecipientRow = LeasedBatch & {
  subscription_id: string
  status: RecipientStatus
  /** Number of attempts so far. */
  attempts: number
  is_unsure: boolean
  /** Delay before the next attempt; null retries immediately. */
  delay_ms: number | null
  reason: string | null
  provider_id: string | null
}

/** Whether the writer of `r` holds the lease; null when the batch has been deleted. */
const IS_HELD = sql`(select coalesce(lease_id = r.lease_id, false) from push_batches
  where message_id = r.message_id and provider = r.provider and first_id = r.first_id)`

/**
 * Writes pending recipients in the given order and counts the finished ones. An acceptance always counts,
 * a failure unless another process holds the lease, and a retry only while this process holds it.
 *
 * @param messageIds all messages of the transaction, which are locked
 */
export async function settleRecipients(
  tx: Db,
  rows: readonly RecipientRow[],
  messageIds: readonly string[],
): Promise<void> {
  await sql`
    with settled as (
      update push_recipients p set status = r.status, attempts = r.attempts::smallint,
        is_unsure = r.is_unsure > 0, reason = nullif(r.reason, ''),
        provider_id = nullif(r.provider_id, ''),
        due_at = case when r.delay_ms > 0 then now() + r.delay_ms * interval '1 millisecond' end,
        settled_at = case when r.status <> 'pending' then now() end
      from unnest(
        ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
        ${uuidArray(rows.map(({ message_id }) => message_id))}::uuid[],
        ${textArray(rows.map(({ provider }) => provider))}::text[],
        ${uuidArray(rows.map(({ subscription_id }) => subscription_id))}::uuid[],
        ${uuidArray(rows.map(({ first_id }) => first_id))}::uuid[],
        ${uuidArray(rows.map(({ lease_id }) => lease_id))}::uuid[],
        ${textArray(rows.map(({ status }) => status))}::text[],
        ${numberArray(rows.map(({ attempts }) => attempts))}::float8[],
        ${numberArray(rows.map(({ is_unsure }) => Number(is_unsure)))}::float8[],
        ${numberArray(rows.map(({ delay_ms }) => delay_ms ?? 0))}::float8[],
        ${textArray(rows.map(({ reason }) => reason ?? ''))}::text[],
        ${textArray(rows.map(({ provider_id }) => provider_id ?? ''))}::text[]
      ) as r (org_id, message_id, provider, subscription_id, first_id, lease_id, status, attempts,
        is_unsure, delay_ms, reason, provider_id)
      -- The ids leave out the partitions that have none of these messages before the statement is planned.
      where p.message_id = any (${uuidArray(messageIds)}::uuid[])
        and p.org_id = r.org_id and p.message_id = r.message_id and p.provider = r.provider
        and p.subscription_id = r.subscription_id and p.status = 'pending'
        and case when r.status = 'accepted' then true
          when r.status = 'pending' then coalesce(${IS_HELD}, false) else coalesce(${IS_HELD}, true) end
      returning p.message_id, p.status
    ), counted as materialized (
      select message_id, count(*) filter (where status = 'accepted') as accepted,
        count(*) filter (where status = 'failed') as failed
      from settled where status <> 'pending' group by message_id
    ), locked as materialized (
      select id from push_messages
      where id = any (${uuidArray(messageIds)}::uuid[]) and (select count(*) from counted) >= 0
      order by id for no key update
    )
    update push_messages m set accepted = m.accepted + c.accepted, failed = m.failed + c.failed
    -- An outer join, so that messages are locked even if nothing was counted.
    from locked l left join counted c on c.message_id = l.id
    where m.id = l.id and coalesce(c.accepted + c.failed, 0) > 0`.execute(tx)
}

/**
 * Releases batches without anything under way in this process. Deletes them if nothing is pending;
 * otherwise they become due with the first of their recipients.
 */
export async function closeBatches(tx: Db, batches: readonly LeasedBatch[]): Promise<void> {
  if (batches.length === 0) return
  await sql`
    with closing as materialized (
      select b.message_id, b.provider, b.first_id, (
          select min(coalesce(due_at, b.due_at)) from push_recipients
          where org_id = b.org_id and message_id = b.message_id and provider = b.provider
            and message_id = any (${uuidArray(batches.map(({ message_id }) => message_id))}::uuid[])
            and subscription_id between b.first_id and b.last_id and status = 'pending'
        ) as next_at
      from unnest(
        ${uuidArray(batches.map(({ message_id }) => message_id))}::uuid[],
        ${textArray(batches.map(({ provider }) => provider))}::text[],
        ${uuidArray(batches.map(({ first_id }) => first_id))}::uuid[],
        ${uuidArray(batches.map(({ lease_id }) => lease_id))}::uuid[]
      ) as r (message_id, provider, first_id, lease_id)
      join push_batches b on b.message_id = r.message_id and b.provider = r.provider
        and b.first_id = r.first_id and b.lease_id = r.lease_id
    ), deleted as (
      delete from push_batches b using closing c
      where b.message_id = c.message_id and b.provider = c.provider and b.first_id = c.first_id
        and c.next_at is null
    )
    update push_batches b set lease_id = null, leased_until = null, due_at = c.next_at
    from closing c
    where b.message_id = c.message_id and b.provider = c.provider and b.first_id = c.first_id
      and c.next_at is not null`.execute(tx)
}

export type CurrentToken = { id: string; token: string | null; token_registered_at: Date }

export async function listTokens(
  tx: Db,
  subscriptions: readonly (SubscriptionKey & { org_id: string })[],
) {
  const { rows } = await sql<CurrentToken>`
    select s.id, s.token, s.token_registered_at
    from unnest(${uuidArray(subscriptions.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(subscriptions.map(({ application_id }) => application_id))}::uuid[],
      ${uuidArray(subscriptions.map(({ id }) => id))}::uuid[]) as r (org_id, application_id, id)
    join push_subscriptions s on s.org_id = r.org_id and s.application_id = r.application_id and s.id = r.id`.execute(
    tx,
  )
  return rows
}
