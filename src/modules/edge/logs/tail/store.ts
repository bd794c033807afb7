import { sql } from 'kysely'
import type { Db } from '../../../../platform/postgres/db.ts'

/** The spool is read by the clock of the database, which set the timestamps of its rows. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database returned no time')
  return row.now
}
