/**
 * Ends what was not accepted within its time and waits where nothing is sent: for a credential that was
 * rejected, a provider that is away for long, or a process that was down. What is under way is left to
 * whoever sends it.
 */
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { expirePortion, listOverdue } from './ending/store.ts'

/** @returns how many recipients have failed by it */
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
