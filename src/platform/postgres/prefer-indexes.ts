/** How a transaction reads tables that are queues. */
import { sql } from 'kysely'
import type { Db } from './db.ts'

/**
 * Such tables grow from nothing faster than their statistics, and are empty again when all is done: a
 * plan that was made when reading all of them was cheapest would stay, so none is kept, and reading all
 * of them is none. For the rest of the transaction; travels with it, at no cost of its own.
 */
export async function preferIndexes(tx: Db): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(tx)
}
