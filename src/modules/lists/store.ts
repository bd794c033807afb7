/** SQL of list entries. Every change of an organization's entries raises its version in the same transaction. */
import { sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import { textArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { ListEntry } from './match.ts'
import type { ListKind, ListName, ListTables } from './tables.ts'

export type StoredEntry = Omit<ListTables['list_entries'], 'org_id' | 'mode'>

/** Reads versions in the order of the owners; 0 for owners without entries. */
export async function readVersions(db: Db, owners: readonly Owner[]): Promise<number[]> {
  const { rows } = await sql<{ index: number; version: number }>`
    select n.index::integer as index, v.version::float8 as version
    from unnest(
      ${uuidArray(owners.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(owners.map(({ mode }) => mode))}::text[]
    ) with ordinality as n (org_id, mode, index)
    join list_versions v on v.org_id = n.org_id and v.mode = n.mode`.execute(db)
  const versions = owners.map(() => 0)
  for (const { index, version } of rows) versions[index - 1] = version
  return versions
}

/** Serializes the changes of one organization and mode until the transaction ends. */
export async function raiseVersion(tx: Db, { org_id, mode }: Owner): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    insert into list_versions as v (org_id, mode, version) values (${org_id}, ${mode}, 1)
    on conflict (org_id, mode) do update set version = v.version + 1
    returning version::float8 as version`.execute(tx)
  return rows[0]?.version ?? 0
}

/** All entries, of which there are at most `ENTRIES_MAX`. */
export async function readEntries(db: Db, { org_id, mode }: Owner): Promise<ListEntry[]> {
  const { rows } = await sql<ListEntry>`
    select id, list, kind, key_hash, shown, reason, expires_at from list_entries
    where org_id = ${org_id} and mode = ${mode}`.execute(db)
  return rows
}

export async function countEntries(db: Db, { org_id, mode }: Owner): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    select count(*)::integer as entries from list_entries
    where org_id = ${org_id} and mode = ${mode}`.execute(db)
  return rows[0]?.entries ?? 0
}

/** An identity that is on the list already gets the new reason, expiry and author. */
export async function upsertEntries(
  tx: Db,
  { org_id, mode }: Owner,
  entries: readonly StoredEntry[],
): Promise<StoredEntry[]> {
  const rows = entries.map((entry) => ({
    ...entry,
    created_at: entry.created_at.toISOString(),
    expires_at: entry.expires_at?.toISOString() ?? null,
  }))
  const { rows: stored } = await sql<StoredEntry>`
    insert into list_entries (org_id, mode, id, list, kind, key_hash, shown, reason, created_by, created_at,
      expires_at)
    select ${org_id}, ${mode}, id, list, kind, key_hash, shown, reason, created_by, created_at, expires_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as e (id uuid, list text, kind text,
      key_hash uuid, shown text, reason text, created_by text, created_at timestamptz,
      expires_at timestamptz)
    on conflict (org_id, mode, list, kind, key_hash) do update set reason = excluded.reason,
      created_by = excluded.created_by, created_at = excluded.created_at,
      expires_at = excluded.expires_at
    returning id, list, kind, key_hash, shown, reason, created_by, created_at, expires_at`.execute(
    tx,
  )
  return stored
}

export async function deleteEntry(
  tx: Db,
  { org_id, mode }: Owner,
  id: string,
): Promise<StoredEntry | undefined> {
  const { rows } = await sql<StoredEntry>`
    delete from list_entries where org_id = ${org_id} and mode = ${mode} and id = ${id}
    returning id, list, kind, key_hash, shown, reason, created_by, created_at, expires_at`.execute(
    tx,
  )
  return rows[0]
}

export type EntryFilter = {
  list?: ListName | undefined
  kind?: ListKind | undefined
  /** Hashes of a searched value, one for each kind that it can be of. */
  key_hashes?: readonly string[] | undefined
  /** Id of the last entry of the previous page. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export async function listEntries(
  db: Db,
  { org_id, mode }: Owner,
  { list, kind, key_hashes, before, limit }: EntryFilter,
): Promise<StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select id, list, kind, key_hash, shown, reason, created_by, created_at, expires_at
    from list_entries
    where org_id = ${org_id} and mode = ${mode}
      ${list === undefined ? sql`` : sql`and list = ${list}`}
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${key_hashes === undefined ? sql`` : sql`and key_hash = any(${uuidArray(key_hashes)}::uuid[])`}
      ${before === undefined ? sql`` : sql`and id < ${before}::uuid`}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Deletes a bounded number of expired entries. @returns the number of deleted entries */
export async function sweepExpired(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from list_entries where ctid = any(array(
      select ctid from list_entries where expires_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))
      and expires_at < ${before}`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
