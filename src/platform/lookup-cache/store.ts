/** Cached answers of outside look-ups, shared by all nodes through PostgreSQL. */
import { sql } from 'kysely'
import type { LookupFailure } from '../lookup.ts'
import type { Db } from '../postgres/db.ts'

export type CacheKey = { kind: string; key: string }

/** A name that no other key has. */
export const nameOf = ({ kind, key }: CacheKey): string => `${kind}\0${key}`

export type CacheRow = CacheKey & {
  /** The last answer; null when there never was one. */
  value: unknown
  /** When that answer was got. */
  fetched_at: Date
  /** Why the last attempt failed; null when the answer is the last attempt's. */
  failure: LookupFailure | null
  /** Until then nobody is asked again. */
  expires_at: Date
}

/** Reads any number of entries in one statement; missing ones are left out. */
export async function readEntries(db: Db, keys: CacheKey[]): Promise<CacheRow[]> {
  const { rows } = await sql<CacheRow>`
    select c.kind, c.key, c.value, c.fetched_at, c.failure, c.expires_at
    from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) as k (kind, key)
    join lookup_cache c on c.kind = k.kind and c.key = k.key`.execute(db)
  return rows
}

export async function writeAnswer(
  db: Db,
  { kind, key }: CacheKey,
  value: unknown,
  fetchedAt: Date,
  expiresAt: Date,
): Promise<void> {
  await sql`
    insert into lookup_cache (kind, key, value, fetched_at, expires_at)
    values (${kind}, ${key}, ${JSON.stringify(value)}::json, ${fetchedAt}, ${expiresAt})
    on conflict (kind, key) do update set
      value = excluded.value,
      fetched_at = excluded.fetched_at,
      failure = null,
      expires_at = excluded.expires_at`.execute(db)
}

/** The last answer stays; only the next attempt is put off. */
export async function writeFailure(
  db: Db,
  { kind, key }: CacheKey,
  failure: LookupFailure,
  failedAt: Date,
  expiresAt: Date,
): Promise<void> {
  await sql`
    insert into lookup_cache (kind, key, fetched_at, failure, expires_at)
    values (${kind}, ${key}, ${failedAt}, ${failure}, ${expiresAt})
    on conflict (kind, key) do update set
      failure = excluded.failure,
      expires_at = excluded.expires_at`.execute(db)
}

/**
 * Deletes what expired before then, a bounded number at a time.
 * @param keptKinds kinds whose old answers are still of use
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
