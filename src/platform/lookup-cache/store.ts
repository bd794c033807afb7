/** Cached answers of outside look-ups, shared by all nodes through PostgreSQL. */
import { sql } from 'kysely'
import type { Db } from '../postgres/db.ts'

export type CacheKey = { kind: string; key: string }

/** A name that no other key has. */
export const nameOf = ({ kind, key }: CacheKey): string => `${kind}\0${key}`

export type CacheRow = CacheKey & { value: unknown; fetched_at: Date; expires_at: Date }

/** Reads any number of entries in one statement; missing ones are left out. */
export async function readEntries(db: Db, keys: CacheKey[]): Promise<CacheRow[]> {
  const { rows } = await sql<CacheRow>`
    select c.kind, c.key, c.value, c.fetched_at, c.expires_at
    from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) as k (kind, key)
    join lookup_cache c on c.kind = k.kind and c.key = k.key`.execute(db)
  return rows
}

/** A failure (value undefined) keeps the last good value and only postpones the next attempt. */
export async function writeEntry(
  db: Db,
  { kind, key }: CacheKey,
  value: unknown,
  fetchedAt: Date,
  expiresAt: Date,
): Promise<void> {
  const text = value === undefined ? null : JSON.stringify(value)
  await sql`
    insert into lookup_cache as c (kind, key, value, fetched_at, expires_at)
    values (${kind}, ${key}, ${text}::json, ${fetchedAt}, ${expiresAt})
    on conflict (kind, key) do update set
      value = coalesce(excluded.value, c.value),
      fetched_at = case when excluded.value is null then c.fetched_at else excluded.fetched_at end,
      expires_at = excluded.expires_at`.execute(db)
}

export async function sweepEntries(db: Db, before: Date): Promise<void> {
  await sql`delete from lookup_cache where expires_at < ${before}`.execute(db)
}
