/** SQL of the merged groups of errors. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { LogFilters } from '../logs/filters.ts'
import { type Merges, membersOf } from './merges.ts'

export async function listMerges(db: Db, { org_id, mode }: Owner): Promise<Merges> {
  const rows = await db
    .selectFrom('edge_error_merges')
    .select(['fingerprint', 'into_fingerprint'])
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .execute()
  return new Map(rows.map(({ fingerprint, into_fingerprint }) => [fingerprint, into_fingerprint]))
}

/** A filter for a group selects the errors of all its fingerprints. */
export async function withMembers<Filters extends LogFilters>(
  db: Db,
  owner: Owner,
  filters: Filters,
): Promise<LogFilters> {
  const { error_fingerprint } = filters
  if (typeof error_fingerprint !== 'string') return filters
  const members = membersOf(await listMerges(db, owner), [error_fingerprint])
  return members.length === 1 ? filters : { ...filters, error_fingerprint: members }
}

/** Changes of an organization run one at a time, because each depends on the merges before it. */
export async function lockMerges(tx: Db, { org_id }: Owner): Promise<void> {
  const lock = `edge_error_merges:${org_id}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
}

export async function upsertMerges(
  tx: Db,
  { org_id, mode }: Owner,
  merge: {
    fingerprints: readonly string[]
    into_fingerprint: string
    merged_by: string
    merged_at: Date
  },
): Promise<void> {
  const { fingerprints, ...facts } = merge
  const rows = fingerprints.map((fingerprint) => ({ org_id, mode, fingerprint, ...facts }))
  await tx
    .insertInto('edge_error_merges')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'mode', 'fingerprint']).doUpdateSet({
        into_fingerprint: (row) => row.ref('excluded.into_fingerprint'),
      }),
    )
    .execute()
}

/** @returns the group that it was merged into; undefined if there was none */
export async function deleteMerge(
  tx: Db,
  { org_id, mode }: Owner,
  fingerprint: string,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('edge_error_merges')
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .where('fingerprint', '=', fingerprint)
    .returning('into_fingerprint')
    .executeTakeFirst()
  return row?.into_fingerprint
}

export type MergedGroup = { fingerprint: string; merged_at: Date; merged_by: string }

/** Lists what was merged into a group, the oldest first. */
export async function listMerged(
  db: Db,
  { org_id, mode }: Owner,
  group: string,
): Promise<MergedGroup[]> {
  return await db
    .selectFrom('edge_error_merges')
    .select(['fingerprint', 'merged_at', 'merged_by'])
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .where('into_fingerprint', '=', group)
    .orderBy('merged_at')
    .orderBy('fingerprint')
    .execute()
}
