/** Waits for locks of a database, for tests of transactions that meet. */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/postgres/db.ts'

/** @returns process id of the transaction's connection */
export async function backendOf(tx: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
  return rows[0]?.pid ?? 0
}

/**
 * Waits until another connection waits for a lock of the given one. The views of locks show all
 * databases of the server, so a count of waiting locks would include those of other test files.
 */
export async function untilBlockedBy(db: Db, backend: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity
      where ${backend}::integer = any(pg_blocking_pids(pid))`.execute(db)
    if (rows.length > 0) return
    await setTimeout(5)
  }
}
