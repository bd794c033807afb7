import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { PhoneReport } from './schema.ts'
import type { PhoneTables } from './tables.ts'

/** The report is without the number, which is stored only as a keyed hash. */
export type ReportRow = PhoneTables['phone_reports'] & { report: Omit<PhoneReport, 'phone'> }

/** @returns false when the same outcome of the same check was reported before */
export async function insertReport(db: Db, row: ReportRow): Promise<boolean> {
  const result = await sql`
    insert into phone_reports (org_id, id, mode, phone_hash, check_id, report, created_at)
    values (${row.org_id}, ${row.id}, ${row.mode}, ${row.phone_hash}, ${row.check_id},
      ${JSON.stringify(row.report)}::json, ${row.created_at})
    on conflict do nothing`.execute(db)
  return result.numAffectedRows === 1n
}

/** Deletes expired reports, a bounded number at a time; the reputation they built decays separately. */
export async function sweepReports(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from phone_reports where ctid = any(array(
      select ctid from phone_reports where created_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
