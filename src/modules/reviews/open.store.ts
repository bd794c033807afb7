/** Counts what waits for a decision, across organizations. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

/** A queue on which no one works can have millions of rows. */
const COUNTED_MAX = 10_000

/** @returns at most 10,000 */
export async function countOpenReviews(db: Db): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from (
      select from reviews where decision is null limit ${COUNTED_MAX}) open`.execute(db)
  return rows[0]?.open ?? 0
}
