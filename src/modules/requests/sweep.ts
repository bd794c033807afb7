/** Forgets requests that are older than a day. */
import type { Database } from '../../platform/postgres/db.ts'
import { slotToEmpty } from './slots.ts'
import { emptySlot } from './store.ts'

/** Costs the same whatever there was. Any of many runs within four hours will do. */
export async function sweepRequests(db: Database, now: Date): Promise<void> {
  await emptySlot(db, slotToEmpty(now))
}
