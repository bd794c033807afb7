import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'

/** By the clock that the spool is read by. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database told no time')
  return row.now
}
