/**
 * Fails recipients that were not accepted in time and are not being sent: because their credential was
 * rejected, their provider was unavailable for too long, or no process was running. Recipients under way
 * are left to the process that sends them.
 */
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { expirePortion, listOverdue } from './expiry.store.ts'

/** @returns number of recipients that failed */
export async function expireRecipients(db: Database, signal: AbortSignal): Promise<number> {
  let expired = 0
  for (const id of await listOverdue(db)) {
    let isMore = true
    while (isMore && !signal.aborted) {
      const portion = await retryConflicts(() =>
        db.transaction().execute(async (tx) => await expirePortion(tx, id)),
      )
      expired += portion.recipients
      isMore = portion.is_more
    }
  }
  return expired
}
