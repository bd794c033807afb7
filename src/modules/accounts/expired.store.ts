/** SQL that deletes rows that have expired. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { AccountTables } from './tables.ts'

type Expiring = {
  [Table in keyof AccountTables]: 'expires_at' extends keyof AccountTables[Table] ? Table : never
}[keyof AccountTables]

/** @property rows_max size of a portion, which keeps the transaction short */
type Portion<Table extends Expiring> = {
  table: Table
  key: keyof AccountTables[Table] & string
  rows_max: number
}

/** Deletes a portion of the rows that have expired, except those that others have locked. @returns their number */
export async function deleteExpired<Table extends Expiring>(
  db: Db,
  { table, key, rows_max }: Portion<Table>,
  now: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(key)} in (
      select ${sql.ref(key)} from ${sql.table(table)} where expires_at <= ${now}
      limit ${rows_max} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
