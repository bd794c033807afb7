/** SQL of the history of firings, which is written in the transaction that writes the state of a rule. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { AlertFiring } from './schema.ts'
import type { AlertRow } from './store.ts'

type RuleKey = Pick<AlertRow, 'org_id' | 'id'>

export async function insertFiring(tx: Db, rule: AlertRow, firedAt: Date): Promise<void> {
  const { org_id, id, kind, condition, threshold, window_minutes, ratio_percent } = rule
  const snapshot = { kind, condition, threshold, window_minutes, ratio_percent }
  await sql`
    insert into edge_alert_firings (org_id, alert_id, fired_at, rule)
    values (${org_id}, ${id}, ${firedAt}, ${JSON.stringify(snapshot)}::jsonb)
    on conflict (org_id, alert_id, fired_at) do nothing`.execute(tx)
}

export async function endFiring(tx: Db, { org_id, id }: RuleKey, at: Date): Promise<void> {
  await sql`
    update edge_alert_firings set resolved_at = greatest(${at}::timestamptz, fired_at)
    where org_id = ${org_id} and alert_id = ${id} and resolved_at is null`.execute(tx)
}

export async function deleteFirings(tx: Db, { org_id, id }: RuleKey): Promise<void> {
  await sql`
    delete from edge_alert_firings where org_id = ${org_id} and alert_id = ${id}`.execute(tx)
}

type Row = Omit<AlertFiring, 'fired_at' | 'resolved_at'> & {
  fired_at: Date
  resolved_at: Date | null
}

/** Newest first. */
export async function listFirings(
  db: Db,
  { org_id, id }: RuleKey,
  limit: number,
): Promise<AlertFiring[]> {
  const { rows } = await sql<Row>`
    select fired_at, resolved_at, rule from edge_alert_firings
    where org_id = ${org_id} and alert_id = ${id}
    order by fired_at desc limit ${limit}::integer`.execute(db)
  return rows.map(({ fired_at, resolved_at, rule }) => ({
    fired_at: fired_at.toISOString(),
    resolved_at: resolved_at?.toISOString() ?? null,
    rule,
  }))
}

const SWEPT_MAX = 5000

/** Deletes firings that ended. @returns number of rows */
export async function sweepFirings(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from edge_alert_firings where ctid = any (array(
      select ctid from edge_alert_firings where fired_at < ${before} and resolved_at is not null
      limit ${sql.lit(SWEPT_MAX)}))`.execute(db)
  return Number(numAffectedRows)
}
