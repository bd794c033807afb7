/** SQL that deletes messages once their retention is over. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import {
  expirePortion,
  listPartitions,
  type Period,
} from '../../../platform/postgres/partitions/index.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'

const RECIPIENTS_AT_ONCE = 10_000
const SWEPT_AT_ONCE = 100

/**
 * Drops the recipients of messages that ended before the time, or then deletes some of these messages.
 * @returns whether something was deleted
 */
export async function expirePushMessages(db: Database, before: Date): Promise<boolean> {
  const stays = async (tx: Db, period: Period) => await haveUnended(tx, period, before)
  if (await expirePortion(db, { table: 'push_recipients', before, stays })) return true
  const [oldest] = await listPartitions(db, 'push_recipients')
  // Recipients of later messages go with their partition.
  const end = oldest && (oldest.from ?? oldest.to)
  const isUndivided = end ? sql`id < ${lowestIdAt(end.getTime())}::uuid` : sql`true`
  const { rows } = await sql<{ id: string }>`
    select id from push_messages
    where created_at < ${before} and completed_at < ${before} and ${isUndivided}
    order by created_at limit ${SWEPT_AT_ONCE}`.execute(db)
  const ids = rows.map(({ id }) => id)
  return (await deleteEnded(db, ids)) > 0
}

/** Whether messages that were created in a period had not ended at a time. */
async function haveUnended(db: Db, { from, to }: Period, before: Date): Promise<boolean> {
  const isAfter = from ? sql`id >= ${lowestIdAt(from.getTime())}::uuid` : sql`true`
  const { rows } = await sql<{ stays: boolean }>`
    select exists (select from push_messages where ${isAfter} and id < ${lowestIdAt(to.getTime())}::uuid
      and (completed_at is null or completed_at >= ${before})) as stays`.execute(db)
  return rows[0]?.stays === true
}

/**
 * Deletes a portion of ended messages, each after its recipients. Locks are taken in the same order as for
 * outcomes and receipts, and no recipient is ever left without its message.
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
 * Deletes by `ctid`, because the planner would read the whole table to find the rows by key. A row that is
 * updated concurrently gets a new `ctid` and is left to the next portion. Rows of several partitions can have the same
 * `ctid`, so the messages are named again.
 */
async function deleteRecipients(tx: Db, ids: Buffer): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_recipients where ctid = any (array(
      select r.place from push_messages m cross join lateral (
        select ctid as place from push_recipients
        where org_id = m.org_id and message_id = m.id order by provider, subscription_id limit ${RECIPIENTS_AT_ONCE}
      ) r where m.id = any (${ids}::uuid[]) limit ${RECIPIENTS_AT_ONCE}))
      and message_id = any (${ids}::uuid[])`.execute(tx)
  return Number(numAffectedRows)
}

/** Deletes messages that have no recipients and batches left. */
async function deleteBare(tx: Db, ids: Buffer): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_messages m where id = any (${ids}::uuid[])
      and not exists (select from push_recipients r
        where r.org_id = m.org_id and r.message_id = m.id)
      and not exists (select from push_batches b where b.message_id = m.id)`.execute(tx)
  return Number(numAffectedRows)
}
