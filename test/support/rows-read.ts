/** Counts the rows of a table that some work reads, by any query plan. */
import { sql } from 'kysely'
import type { Database, Db } from '../../src/platform/postgres/db.ts'

export async function rowsRead(
  db: Database,
  table: string,
  work: (tx: Db) => Promise<unknown>,
): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const before = await countRead(tx, table)
    await work(tx)
    return (await countRead(tx, table)) - before
  })
}

async function countRead(tx: Db, table: string): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = ${table}`.execute(tx)
  return rows[0]?.read ?? 0
}
