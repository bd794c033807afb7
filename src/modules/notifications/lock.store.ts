import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

/** Until the end of the transaction: changes under one name run one at a time. */
export async function lockName(tx: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}
