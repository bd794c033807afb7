/** Outcome reports and what they add up to. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { HALF_LIFE_DAYS, type Opinion, WEIGHT_MAX } from './reputation.ts'
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

/** Fades what was there and adds the new weight, up to what one organisation may weigh. */
export async function addOpinion(
  db: Db,
  orgId: string,
  keyHash: string,
  weight: { bad: number; good: number },
  now: Date,
): Promise<void> {
  const fade = sql`power(0.5::double precision, least(200,
    greatest(0, extract(epoch from excluded.updated_at - r.updated_at)::double precision)
    / ${sql.lit(HALF_LIFE_DAYS * 86_400)}))`
  await sql`
    insert into reputation as r (key_hash, org_id, bad, good, updated_at)
    values (${keyHash}, ${orgId}, ${weight.bad}, ${weight.good}, ${now})
    on conflict (key_hash, org_id) do update set
      bad = least(${sql.lit(WEIGHT_MAX)}, r.bad * ${fade} + excluded.bad),
      good = least(${sql.lit(WEIGHT_MAX)}, r.good * ${fade} + excluded.good),
      updated_at = greatest(r.updated_at, excluded.updated_at)`.execute(db)
}

export type ReputationQuery = { org_id: string; key_hash: string }

/** Opinions of all organisations about each number; only whether one is the asker's own is told. */
export async function readOpinions(db: Db, queries: ReputationQuery[]): Promise<Opinion[][]> {
  const { rows } = await sql<Opinion & { index: number }>`
    select q.index::integer as index, r.org_id = q.org_id as is_own, r.bad, r.good, r.updated_at
    from unnest(
      ${queries.map(({ org_id }) => org_id)}::uuid[],
      ${queries.map(({ key_hash }) => key_hash)}::uuid[]
    ) with ordinality as q (org_id, key_hash, index)
    join reputation r on r.key_hash = q.key_hash`.execute(db)
  const answers: Opinion[][] = queries.map(() => [])
  for (const { index, ...opinion } of rows) answers[index - 1]?.push(opinion)
  return answers
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

/** Deletes what was said so long ago that it has faded. */
export async function sweepOpinions(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from reputation where ctid = any(array(
      select ctid from reputation where updated_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
