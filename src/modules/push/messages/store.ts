/**
 * SQL of creating, changing and completing messages. Transactions that write several tables of push write
 * recipients first, then messages in the order of their ids, then batches, so that they cannot deadlock.
 */
import { type Selectable, sql } from 'kysely'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushTables } from '../tables.ts'

export type MessageRow = Selectable<PushTables['push_messages']>

/**
 * Completes messages that are fully expanded and have no batches left.
 *
 * @param ids messages that an earlier statement of the transaction has locked, so that this one sees
 * everything committed before
 * @returns ids of the messages that this call completed
 */
export async function completeMessages(tx: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    update push_messages m set completed_at = statement_timestamp(), status = case
        when failed = 0 then 'sent' when accepted = 0 then 'failed' else 'partially_failed' end
    where id = any (${uuidArray(ids)}::uuid[]) and status = 'sending' and expand_at is null
      -- Evaluated per message, because a join could read all batches.
      and not exists (select from push_batches b where b.message_id = m.id offset 0)
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}

export type NewMessage = Pick<
  MessageRow,
  'id' | 'org_id' | 'application_id' | 'target' | 'target_ids' | 'content'
> & {
  /** Undefined sends immediately. */
  send_at: Date | undefined
  /** Time after `send_at` at which retries stop. */
  give_up_seconds: number
}

export async function insertMessage(tx: Db, message: NewMessage): Promise<void> {
  const { id, org_id, application_id, target, target_ids, content, send_at } = message
  await sql`
    insert into push_messages (id, org_id, application_id, target, target_ids, content, status,
      send_at, give_up_at, expand_at, targeted, created_at)
    select ${id}, ${org_id}, ${application_id}, ${target}, ${target_ids}::text[],
      ${JSON.stringify(content)}::jsonb, ${send_at === undefined ? 'queued' : 'scheduled'},
      due, due + ${message.give_up_seconds}::float8 * interval '1 second', due, 0, now()
    from (select coalesce(${send_at ?? null}::timestamptz, now()) as due) given`.execute(tx)
}

export async function setTargeted(tx: Db, id: string, targeted: number): Promise<void> {
  await sql`update push_messages set targeted = ${targeted} where id = ${id}`.execute(tx)
}

/**
 * Cancels a message; notifications under way are still sent.
 * @returns whether the message had not ended
 */
export async function cancelMessage(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update push_messages
    set status = 'cancelled', expand_at = null, completed_at = statement_timestamp()
    where id = ${id} and org_id = ${orgId} and completed_at is null
    returning id`.execute(tx)
  if (rows.length === 0) return false
  await sql`delete from push_batches where message_id = ${id}`.execute(tx)
  return true
}

/**
 * @param sendAt undefined sends immediately
 * @returns whether the message was still scheduled
 */
export async function rescheduleMessage(
  db: Db,
  orgId: string,
  id: string,
  sendAt: Date | undefined,
): Promise<boolean> {
  const due = sendAt === undefined ? sql`now()` : sql`${sendAt}::timestamptz`
  const { rows } = await sql`
    update push_messages m set send_at = s.due, expand_at = s.due, give_up_at = s.give_up_at,
      status = ${sendAt === undefined ? 'queued' : 'scheduled'}
    from (
      select id, ${due} as due, give_up_at + (${due} - send_at) as give_up_at from push_messages
      where id = ${id} and org_id = ${orgId} and status = 'scheduled' for no key update
    ) s
    where m.id = s.id
    returning m.id`.execute(db)
  return rows.length > 0
}
