import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CustomRule } from '../../custom-rules/index.ts'
import type { RuleOverrides } from '../scoring/parameters.ts'
import type { OrderTables } from '../tables.ts'

export type StoredRules = {
  version: number
  overrides: RuleOverrides
  custom_rules: CustomRule[]
}

export type StoredVersion = StoredRules &
  Omit<OrderTables['order_rules'], 'org_id' | 'mode' | 'overrides' | 'custom_rules'>

/** Reads active rules in the order of the owners; undefined for owners that never applied any. */
export async function findActiveRules(
  db: Db,
  owners: readonly Owner[],
): Promise<(StoredRules | undefined)[]> {
  if (owners.length === 0) return []
  const { rows } = await sql<StoredRules & { index: number }>`
    select n.index::integer as index, r.version, r.overrides,
      r.custom_rules
    from unnest(
      ${uuidArray(owners.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(owners.map(({ mode }) => mode))}::text[]
    ) with ordinality as n (org_id, mode, index)
    cross join lateral (
      select version, overrides, custom_rules from order_rules r
      where r.org_id = n.org_id and r.mode = n.mode order by version desc limit 1) r`.execute(db)
  const found: (StoredRules | undefined)[] = owners.map(() => undefined)
  for (const { index, ...rules } of rows) found[index - 1] = rules
  return found
}

export async function findStoredRules(
  db: Db,
  { org_id, mode }: Owner,
  version: number,
): Promise<StoredRules | undefined> {
  const row = await db
    .selectFrom('order_rules')
    .select(['version', 'overrides', 'custom_rules'])
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .where('version', '=', version)
    .executeTakeFirst()
  return row as StoredRules | undefined
}

/** Lists versions, newest first. @param page.before version that the listed ones must precede */
export async function listRulesVersions(
  db: Db,
  { org_id, mode }: Owner,
  page: { before?: number | undefined; limit: number },
): Promise<StoredVersion[]> {
  const { before } = page
  const { rows } = await sql<StoredVersion>`
    select r.version, r.overrides, r.custom_rules, r.note, r.rolled_back_to, r.applied_at, r.applied_by
    from order_rules r
    where r.org_id = ${org_id} and r.mode = ${mode}
      ${before === undefined ? sql`` : sql`and r.version < ${before}`}
    order by r.version desc limit ${page.limit}`.execute(db)
  return rows
}

export type NewVersion = Owner & StoredVersion

/** @returns false, without writing, unless the active version is the one before this */
export async function insertRulesVersion(tx: Db, row: NewVersion): Promise<boolean> {
  const { org_id, mode, version } = row
  const { numAffectedRows } = await sql`
    with newest as materialized (
      select coalesce(max(version), 0) as version from order_rules
      where org_id = ${org_id} and mode = ${mode}
    )
    insert into order_rules (org_id, mode, version, overrides, custom_rules, note, rolled_back_to,
      applied_at, applied_by)
    select ${org_id}, ${mode}, ${version}, ${JSON.stringify(row.overrides)}::json,
      ${JSON.stringify(row.custom_rules)}::json, ${row.note}::text, ${row.rolled_back_to}::integer, ${row.applied_at}::timestamptz, ${row.applied_by}
    from newest where newest.version = ${version - 1}::integer
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}
