/** Opinions of organisations about identities, one row per identity and organisation. */
import { type RawBuilder, sql } from 'kysely'
import { numberArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Reader, Writer } from '../../platform/states/index.ts'
import { HALF_LIFE_DAYS, type Opinion, WEIGHT_MAX } from './judge.ts'

export type OpinionQuery = { org_id: string; key_hash: string }

/** Weights to add. What is taken back is negative; nothing falls below 0 by it. */
export type OpinionChange = OpinionQuery & { bad: number; good: number; at: Date }

/**
 * Fades what was there and adds the changes, up to what one organisation may weigh. A piece of SQL,
 * for callers that write more with one statement. In the order of the keys, so that two transactions
 * never wait for each other in a circle.
 */
export function changeOpinions(changes: readonly OpinionChange[]): RawBuilder<unknown> {
  const fade = sql`power(0.5::double precision, least(200,
    greatest(0, extract(epoch from excluded.updated_at - r.updated_at)::double precision)
    / ${sql.lit(HALF_LIFE_DAYS * 86_400)}))`
  // What was proposed for the row is never negative, so the change itself is looked up.
  const changed = (column: 'bad' | 'good') => sql`least(${sql.lit(WEIGHT_MAX)}, greatest(0,
    r.${sql.ref(column)} * ${fade} + (select c.${sql.ref(column)} from change c
      where c.key_hash = excluded.key_hash and c.org_id = excluded.org_id)))`
  return sql`
    with change as (
      select key_hash, org_id, sum(bad) as bad, sum(good) as good, max(at) as at
      from unnest(
        ${uuidArray(changes.map(({ key_hash }) => key_hash))}::uuid[],
        ${uuidArray(changes.map(({ org_id }) => org_id))}::uuid[],
        ${numberArray(changes.map(({ bad }) => bad))}::float8[],
        ${numberArray(changes.map(({ good }) => good))}::float8[],
        ${timeArray(changes.map(({ at }) => at))}::timestamptz[]
      ) as c (key_hash, org_id, bad, good, at)
      group by key_hash, org_id
    )
    insert into reputation as r (key_hash, org_id, bad, good, updated_at)
    select key_hash, org_id, ${ofOne(sql`bad`)}, ${ofOne(sql`good`)}, at
    from change order by key_hash, org_id
    on conflict (key_hash, org_id) do update set
      bad = ${changed('bad')}, good = ${changed('good')},
      updated_at = greatest(r.updated_at, excluded.updated_at)`
}

const ofOne = (weight: RawBuilder<unknown>) =>
  sql`least(${sql.lit(WEIGHT_MAX)}, greatest(0, ${weight}))`

/** Opinions of all organisations about each identity; only whether one is the asker's own is told. */
export async function readOpinions(db: Db, queries: readonly OpinionQuery[]): Promise<Opinion[][]> {
  if (queries.length === 0) return []
  const { rows } = await sql<Opinion & { index: number }>`
    select q.index::integer as index, r.org_id = q.org_id as is_own, r.bad, r.good, r.updated_at
    from unnest(
      ${uuidArray(queries.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(queries.map(({ key_hash }) => key_hash))}::uuid[]
    ) with ordinality as q (org_id, key_hash, index)
    cross join lateral (
      select * from reputation r where r.key_hash = q.key_hash offset 0) r`.execute(db)
  const answers: Opinion[][] = queries.map(() => [])
  for (const { index, ...opinion } of rows) answers[index - 1]?.push(opinion)
  return answers
}

/** For steps. */
export const opinionWriter: Writer<OpinionChange> = { name: 'opinions', write: changeOpinions }
export const opinionReader: Reader<OpinionQuery, Opinion[]> = {
  name: 'opinions',
  read: readOpinions,
}

/** Deletes what was said so long ago that it has faded, a bounded number at a time. */
export async function sweepOpinions(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from reputation where ctid = any(array(
      select ctid from reputation where updated_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
