/** How many rows of a table a piece of work reads, whatever the plan: what it costs when there are many. */
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
