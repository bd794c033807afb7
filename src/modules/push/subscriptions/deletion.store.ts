/**
 * SQL of deleting subscriptions. Pending recipients of a deleted subscription fail when their turn comes,
 * and its later receipts are ignored.
 */
import { sql } from 'kysely'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import { PROVED, type SubscriptionKey } from './store.ts'

const SWEPT_AT_ONCE = 5000

/** @returns whether the subscription existed */
export async function deleteSubscription(
  db: Db,
  orgId: string,
  { application_id, id, proof }: SubscriptionKey,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from push_subscriptions
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}
      and ${PROVED({ proof })}`.execute(db)
  return numAffectedRows === 1n
}

/**
 * Deletes a portion of the subscriptions whose tokens became invalid before the given time. Skips locked
 * rows, which may be about to get a new token.
 * @returns number of rows
 */
export async function sweepSubscriptions(db: Database, before: Date): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    const { numAffectedRows = 0n } = await sql`
      delete from push_subscriptions where ctid = any (array(
        select ctid from push_subscriptions where invalidated_at < ${before}
        order by invalidated_at limit ${SWEPT_AT_ONCE} for update skip locked))`.execute(tx)
    return Number(numAffectedRows)
  })
}
