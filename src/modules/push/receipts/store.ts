/**
 * SQL of receipts. Locks are taken in the same order as for settling: recipients in the order of their
 * key, then messages in the order of their ids.
 */
import { sql } from 'kysely'
import { numberArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Receipt } from './receipt.ts'

export type MarkedRecipient = Omit<Receipt, 'kind'> & { received: number; clicked: number }

/**
 * Marks the first receipt of each kind. Ignores receipts that name no recipient of the organization or a
 * deleted subscription.
 * @returns one entry per existing recipient, with 1 for each kind that this call marked
 */
export async function markReceipts(tx: Db, receipts: readonly Receipt[]) {
  const json = JSON.stringify(receipts)
  const ids = uuidArray([...new Set(receipts.map(({ message_id }) => message_id))])
  const { rows } = await sql<MarkedRecipient>`
    with reported as materialized (
      select t.org_id, t.message_id, t.subscription_id,
        bool_or(t.kind = 'received') as is_received, bool_or(t.kind = 'clicked') as is_clicked
      from json_to_recordset(${json}::json)
        as t (org_id uuid, message_id uuid, subscription_id uuid, kind text)
      group by t.org_id, t.message_id, t.subscription_id
    ), keys as materialized (
      select t.*, p.provider
      from reported t join push_messages m on m.id = t.message_id and m.org_id = t.org_id
        cross join lateral (
          select from push_subscriptions
          where org_id = t.org_id and application_id = m.application_id
            and id = t.subscription_id limit 1
        ) s
        cross join (values ('apns'), ('fcm')) as p (provider)
      order by t.message_id, p.provider, t.subscription_id
    ), locked as materialized (
      -- The ids leave out partitions before the statement is planned.
      -- One index lookup per key, in this order: a join could read all recipients of a message per key.
      select k.org_id, k.message_id, k.provider, k.subscription_id,
        k.is_received and r.received_at is null as is_received,
        k.is_clicked and r.clicked_at is null as is_clicked, now() as at
      from keys k cross join lateral (
        select received_at, clicked_at from push_recipients
        where org_id = k.org_id and message_id = k.message_id and provider = k.provider
          and subscription_id = k.subscription_id
          and message_id = any (${ids}::uuid[])
        for update) r
    ), marked as (
      update push_recipients r set
        received_at = case when l.is_received then l.at else r.received_at end,
        clicked_at = case when l.is_clicked then l.at else r.clicked_at end
      from locked l
      where r.message_id = any (${ids}::uuid[])
        and r.org_id = l.org_id and r.message_id = l.message_id and r.provider = l.provider
        and r.subscription_id = l.subscription_id and (l.is_received or l.is_clicked)
    )
    select org_id, message_id, subscription_id, is_received::integer as received,
      is_clicked::integer as clicked from locked`.execute(tx)
  return rows
}

export type MessageReceipts = { id: string; received: number; clicked: number }

export async function countReceipts(tx: Db, counts: readonly MessageReceipts[]): Promise<void> {
  if (counts.length === 0) return
  const ids = uuidArray(counts.map(({ id }) => id))
  await sql`
    with locked as (
      select id from push_messages where id = any (${ids}::uuid[]) order by id for update
    )
    update push_messages m
    set received = m.received + c.received::integer, clicked = m.clicked + c.clicked::integer
    from unnest(${ids}::uuid[], ${numberArray(counts.map(({ received }) => received))}::float8[],
        ${numberArray(counts.map(({ clicked }) => clicked))}::float8[]) as c (id, received, clicked)
      join locked using (id)
    where m.id = c.id`.execute(tx)
}
