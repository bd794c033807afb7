/** SQL of the cached look-ups, which all nodes share through PostgreSQL. */
import { sql } from 'kysely'
import type { LookupFailure } from '../lookup.ts'
import type { Db } from '../postgres/db.ts'
import type { LookupTables } from './tables.ts'

export type CacheKey = { kind: string; key: string }

export const nameOf = ({ kind, key }: CacheKey): string => `${kind}\0${key}`

export type CacheRow = LookupTables['lookup_cache']

/** Reads any number of entries in one statement; missing ones are left out. */
export async function readEntries(db: Db, keys: CacheKey[]): Promise<CacheRow[]> {
  const { rows } = await sql<CacheRow>`
    select c.kind, c.key, c.value, c.fetched_at, c.failure, c.expires_at
    from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) as k (kind, key)
    join lookup_cache c on c.kind = k.kind and c.key = k.key`.execute(db)
  return rows
}

type Times = { fetched_at: Date; expires_at: Date }

export async function writeValue(
  db: Db,
  { kind, key }: CacheKey,
  { value, fetched_at, expires_at }: Times & { value: unknown },
): Promise<void> {
  await sql`
    insert into lookup_cache (kind, key, value, fetched_at, expires_at)
    values (${kind}, ${key}, ${JSON.stringify(value)}::json, ${fetched_at}, ${expires_at})
    on conflict (kind, key) do update set
      value = excluded.value,
      fetched_at = excluded.fetched_at,
      failure = null,
      expires_at = excluded.expires_at`.execute(db)
}

/** Keeps the last value and only delays the next attempt. */
export async function writeFailure(
  db: Db,
  { kind, key }: CacheKey,
  { failure, fetched_at, expires_at }: Times & { failure: LookupFailure },
): Promise<void> {
  await sql`
    insert into lookup_cache (kind, key, fetched_at, failure, expires_at)
    values (${kind}, ${key}, ${fetched_at}, ${failure}, ${expires_at})
    on conflict (kind, key) do update set
      failure = excluded.failure,
      expires_at = excluded.expires_at`.execute(db)
}

/**
 * Deletes rows that expired before a time, a bounded number per call.
 * @param keptKinds kinds whose old values are still needed
 */
export async function sweepEntries(db: Db, before: Date, keptKinds: string[]): Promise<number> {
  const result = await sql`
    delete from lookup_cache where (kind, key) in (
      select kind, key from lookup_cache
      where expires_at < ${before} and kind <> all(${keptKinds}::text[])
      order by expires_at limit ${sql.lit(SWEEP_ROWS_MAX)})`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
