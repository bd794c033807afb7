/**
 * SQL of the end of subscriptions. What is pending for one that is gone fails when its turn comes, and
 * what its app tells of earlier messages counts no more.
 */
import { sql } from 'kysely'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../../platform/postgres/prefer-indexes.ts'
import type { SubscriptionKey } from '../store.ts'

const SWEPT_AT_ONCE = 5000

/** @returns whether it was there */
export async function deleteSubscription(
  db: Db,
  orgId: string,
  { application_id, id }: SubscriptionKey,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from push_subscriptions
    where application_id = ${application_id} and id = ${id} and org_id = ${orgId}`.execute(db)
  return numAffectedRows === 1n
}

/**
 * A portion of those whose tokens are dead since before that. One that somebody is changing may be about
 * to come back: it is left to the next run, so that nobody waits for another here either.
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
