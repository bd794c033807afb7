import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import { textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { RuleOverrides } from '../scoring/parameters.ts'
import type { OrderTables } from '../tables.ts'

export type StoredRules = { version: number; overrides: RuleOverrides }

export type StoredVersion = StoredRules &
  Omit<OrderTables['order_rules'], 'org_id' | 'mode' | 'overrides'>

/** Reads active rules in the order of the owners; undefined for owners that never applied any. */
export async function findActiveRules(
  db: Db,
  owners: readonly Owner[],
): Promise<(StoredRules | undefined)[]> {
  if (owners.length === 0) return []
  const { rows } = await sql<StoredRules & { index: number }>`
    select n.index::integer as index, r.version, r.overrides
    from unnest(
      ${uuidArray(owners.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(owners.map(({ mode }) => mode))}::text[]
    ) with ordinality as n (org_id, mode, index)
    cross join lateral (
      select version, overrides from order_rules r
      where r.org_id = n.org_id and r.mode = n.mode order by version desc limit 1) r`.execute(db)
  const found: (StoredRules | undefined)[] = owners.map(() => undefined)
  for (const { index, ...rules } of rows) found[index - 1] = rules
  return found
}

export async function findOverrides(
  db: Db,
  { org_id, mode }: Owner,
  version: number,
): Promise<RuleOverrides | undefined> {
  const row = await db
    .selectFrom('order_rules')
    .select('overrides')
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.overrides as RuleOverrides | undefined
}

/** Lists versions, newest first. @param page.before version that the listed ones must precede */
export async function listRulesVersions(
  db: Db,
  { org_id, mode }: Owner,
  page: { before?: number | undefined; limit: number },
): Promise<StoredVersion[]> {
  const { before } = page
  const { rows } = await sql<StoredVersion>`
    select r.version, r.overrides, r.note, r.rolled_back_to, r.applied_at, r.applied_by
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
    insert into order_rules (org_id, mode, version, overrides, note, rolled_back_to, applied_at,
      applied_by)
    select ${org_id}, ${mode}, ${version}, ${JSON.stringify(row.overrides)}::json, ${row.note}::text,
      ${row.rolled_back_to}::integer, ${row.applied_at}::timestamptz, ${row.applied_by}
    where ${version - 1} = coalesce((select max(version) from order_rules
      where org_id = ${org_id} and mode = ${mode}), 0)
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}
