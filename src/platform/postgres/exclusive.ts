/** Work that at most one process does at a time, without holding back the cleanup of old row versions. */
import { sql } from 'kysely'
import type { Database } from './db.ts'

/** @returns undefined if another process is doing it; otherwise the result of the work */
export async function exclusively<T>(
  db: Database,
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  return await db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    const { rows } = await sql<{ is_held: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_held`.execute(tx)
    return rows[0]?.is_held === true ? { result: await work() } : undefined
  })
}
