/** Sessions that were seen in a month, in PostgreSQL. */
import { type RawBuilder, sql } from 'kysely'
import { bytesArray, textArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { EdgeTables } from '../../platform/postgres/tables/edge.ts'
import type { Writer } from '../../platform/states/index.ts'
import { advanceMonths } from '../billing/index.ts'

export const SESSION_METER = 'rum_session'

export type SeenSession = EdgeTables['rum_sessions']

/** Counts those that are new in their month, each once, whoever else writes them at the same time. */
export const sessionWriter: Writer<SeenSession> = {
  name: 'new_rum_sessions',
  write: countNewSessions,
}

function countNewSessions(rows: readonly SeenSession[]): RawBuilder<unknown> {
  return advanceMonths(sql`
    select org_id, mode, ${sql.lit(SESSION_METER)} as meter, month, count(*) as quantity
    from insert_rum_sessions(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(rows.map(({ mode }) => mode))}::text[],
      ${textArray(rows.map(({ month }) => month))}::text[],
      ${bytesArray(rows.map(({ session_hash }) => session_hash))}::bytea[])
    group by org_id, mode, month`)
}

/**
 * Sessions of months that are over; they are counted in `usage_months`. A bounded number at a time.
 * @param month those of this one and later stay
 * @returns how many were deleted
 */
export async function deleteSessionsBefore(db: Db, month: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rum_sessions where ctid = any(array(
      select ctid from rum_sessions where month < ${month}::date
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
