/**
 * SQL of the velocity counters: one statement counts any number of identities and returns the new
 * counts.
 */
import { sql } from 'kysely'
import { numberArray, textArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { HALF_LIVES_SECONDS, type VelocityCounts } from './velocity.ts'

export type VelocityKey = { org_id: string; key_hash: string }

export type VelocityIncrement = VelocityKey & {
  /** Number of occurrences to add. */
  count: number
  /** Short hashes of people seen with this identity; only devices have them. */
  seen_with: number[]
}

export type VelocityRow = VelocityKey & VelocityCounts & { seen_with: number[] }

const SEEN_WITH_MAX = 32
/** 0.5^200 is practically 0, and far from the underflow that PostgreSQL reports as an error. */
const HALVINGS_MAX = 200
/** People who used a device longer ago than this say nothing about it today. */
const SEEN_WITH_DAYS = 30
const SEEN_WITH_SECONDS = SEEN_WITH_DAYS * 86_400

/**
 * Counts in the order of the keys, so that two batches cannot deadlock. An occurrence that is older
 * than the last one does not move `last_at` back. The server returns the rows in the order in which it
 * writes them, so that they need not name their keys. What happens on a conflict is immutable, so that the
 * table can be distributed.
 */
export async function countVelocity(
  db: Db,
  increments: VelocityIncrement[],
  now: Date,
): Promise<VelocityRow[]> {
  if (increments.length === 0) return []
  const sorted = increments.toSorted(
    (a, b) => compare(a.org_id, b.org_id) || compare(a.key_hash, b.key_hash),
  )
  const { rows } = await sql<VelocityCounts & { seen_with: number[] | null }>`
    insert into velocity as v
      (org_id, key_hash, count_5m, count_1h, count_1d, count_7d, last_at, seen_with)
    select org_id, key_hash, n, n, n, n, ${now}::timestamptz, seen_with::integer[]
    from unnest(
      ${uuidArray(sorted.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(sorted.map(({ key_hash }) => key_hash))}::uuid[],
      ${numberArray(sorted.map(({ count }) => count))}::double precision[],
      ${textArray(sorted.map(({ seen_with }) => `{${seen_with.join(',')}}`))}::text[]
    ) as i (org_id, key_hash, n, seen_with)
    on conflict (org_id, key_hash) do update set
      count_5m = ${decayed('count_5m')},
      count_1h = ${decayed('count_1h')},
      count_1d = ${decayed('count_1d')},
      count_7d = ${decayed('count_7d')},
      last_at = greatest(v.last_at, excluded.last_at),
      seen_with = case
        when date_part('epoch', excluded.last_at - v.last_at) > ${sql.lit(SEEN_WITH_SECONDS)}
          then excluded.seen_with
        when excluded.seen_with <@ v.seen_with then v.seen_with
        when cardinality(v.seen_with) >= ${sql.lit(SEEN_WITH_MAX)} then v.seen_with
        else joined_sets(v.seen_with, excluded.seen_with, ${sql.lit(SEEN_WITH_MAX)})
      end
    returning count_5m, count_1h, count_1d, count_7d, nullif(seen_with, '{}') as seen_with`.execute(
    db,
  )
  return sorted.map(({ org_id, key_hash }, index) => {
    const row = rows[index]
    if (row === undefined) throw new Error('an identity was not counted')
    const { count_5m, count_1h, count_1d, count_7d, seen_with } = row
    return { org_id, key_hash, count_5m, count_1h, count_1d, count_7d, seen_with: seen_with ?? [] }
  })
}

/**
 * Deletes identities that were not seen since `before`, one portion of the keys at a time: an index
 * by time would have to be updated by every count.
 *
 * @param after the last key of the previous portion; undefined starts from the beginning
 * @returns the last key of this portion; undefined at the end of the table
 */
export async function sweepVelocity(
  db: Db,
  before: Date,
  after: VelocityKey = { org_id: NIL, key_hash: NIL },
): Promise<VelocityKey | undefined> {
  const { rows } = await sql<VelocityKey>`
    select org_id, key_hash from velocity
    where (org_id, key_hash) > (${after.org_id}::uuid, ${after.key_hash}::uuid)
    order by org_id, key_hash offset ${sql.lit(SWEEP_ROWS_MAX)} limit 1`.execute(db)
  const last = rows[0] ?? { org_id: MAX, key_hash: MAX }
  // Rows that are being counted at this moment are locked and skipped.
  await sql`
    delete from velocity where ctid = any(array(
      select ctid from velocity
      where (org_id, key_hash) > (${after.org_id}::uuid, ${after.key_hash}::uuid)
        and (org_id, key_hash) <= (${last.org_id}::uuid, ${last.key_hash}::uuid)
        and last_at < ${before}
      for update skip locked))`.execute(db)
  return rows[0]
}

const SWEEP_ROWS_MAX = 5000
const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the people seen with these devices so far, by `org_id key_hash`. */
export async function readSeenWith(
  db: Db,
  keys: VelocityKey[],
  now: Date,
): Promise<Map<string, number[]>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<VelocityKey & { seen_with: number[] }>`
    select v.org_id, v.key_hash, v.seen_with
    from unnest(
      ${keys.map(({ org_id }) => org_id)}::uuid[],
      ${keys.map(({ key_hash }) => key_hash)}::uuid[]
    ) as k (org_id, key_hash)
    join velocity v on v.org_id = k.org_id and v.key_hash = k.key_hash
    where v.last_at >= ${now}::timestamptz - make_interval(days => ${sql.lit(SEEN_WITH_DAYS)})`.execute(
    db,
  )
  return new Map(rows.map((row) => [`${row.org_id} ${row.key_hash}`, row.seen_with]))
}

/** `extract` would compute numerics, which takes a quarter of the time of an update. */
function decayed(column: keyof VelocityCounts) {
  return sql`v.${sql.ref(column)} * power(0.5::double precision,
    least(${sql.lit(HALVINGS_MAX)}, greatest(0, date_part('epoch', excluded.last_at - v.last_at)) / ${sql.lit(HALF_LIVES_SECONDS[column])}))
    + excluded.${sql.ref(column)}`
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
