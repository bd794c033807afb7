import { sql } from 'kysely'
import type { Db } from './db.ts'

/**
 * Makes the rest of a transaction use indexes and no cached plans, for tables that are queues. Such a
 * table grows faster than its statistics and is empty again later, so a plan that scans it as a whole
 * would stay in the cache. The statement is sent with the transaction and costs no round trip.
 */
export async function preferIndexes(tx: Db): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx)
}
