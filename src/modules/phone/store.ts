/** Outcome reports as they were accepted. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { PhoneReport } from './schema.ts'

export type ReportRow = {
  id: string
  org_id: string
  mode: Mode
  phone_hash: string
  check_id: string | null
  /** Without the number itself, which only its keyed hash stands for. */
  report: Omit<PhoneReport, 'phone'>
  created_at: Date
}

/** @returns false when the same outcome of the same check was reported before */
export async function insertReport(db: Db, row: ReportRow): Promise<boolean> {
  const result = await sql`
    insert into phone_reports (org_id, id, mode, phone_hash, check_id, report, created_at)
    values (${row.org_id}, ${row.id}, ${row.mode}, ${row.phone_hash}, ${row.check_id},
      ${JSON.stringify(row.report)}::json, ${row.created_at})
    on conflict do nothing`.execute(db)
  return result.numAffectedRows === 1n
}

/** Deletes old reports, a bounded number at a time; what they added up to fades by itself. */
export async function sweepReports(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from phone_reports where ctid = any(array(
      select ctid from phone_reports where created_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
