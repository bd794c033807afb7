/** SQL of the sessions of a month. */

import { type RawBuilder, sql } from 'kysely'
import { bytesArray, textArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import { advanceMonths } from '../billing/index.ts'
import type { RumTables } from './tables.ts'

export const SESSION_METER = 'rum_session'

export type MonthSession = RumTables['rum_sessions']

/** Counts sessions that are new in their month, each once even if written concurrently. */
export const sessionWriter: Writer<MonthSession> = {
  name: 'new_rum_sessions',
  write: countNewSessions,
}

function countNewSessions(rows: readonly MonthSession[]): RawBuilder<unknown> {
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
 * Deletes sessions of earlier months, a bounded number at a time; `usage_months` retains their count.
 * @param month sessions of this and later months are not deleted
 * @returns the number of deleted sessions
 */
export async function deleteSessionsBefore(db: Db, month: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rum_sessions where ctid = any(array(
      select ctid from rum_sessions where month < ${month}::date
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
