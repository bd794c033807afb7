/** SQL of opinions, one row per identity and organization. */

import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import { numberArray, textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import { HALF_LIFE_DAYS, type Opinion, WEIGHT_MAX } from './judge.ts'

export type OpinionQuery = { org_id: string; mode: Mode; key_hash: string }

/** Weights to add; negative ones take back earlier weights but never below 0. */
export type OpinionChange = {
  org_id: string
  key_hash: string
  bad: number
  good: number
  /** The part of `bad` that counts for other organizations. */
  shared_bad: number
  at: Date
}

/**
 * Decays stored weights and adds the changes, up to the maximum weight of an organization. Returns
 * a fragment that callers combine with other writes. Rows are written in key order, so concurrent
 * transactions cannot deadlock. The inserted row is the change itself, because that is all a conflict
 * sees; a first change that takes weight back stays below 0 and is read as 0.
 */
export function changeOpinions(changes: readonly OpinionChange[]): RawBuilder<unknown> {
  const fade = sql`power(0.5::double precision, least(200,
    greatest(0, extract(epoch from excluded.updated_at - r.updated_at)::double precision)
    / ${sql.lit(HALF_LIFE_DAYS * 86_400)}))`
  const changed = (column: 'bad' | 'good' | 'shared_bad', before = sql`r.${sql.ref(column)}`) =>
    sql`least(${sql.lit(WEIGHT_MAX)}, greatest(0,
      greatest(0, ${before}) * ${fade} + excluded.${sql.ref(column)}))`
  const sum = (column: 'bad' | 'good' | 'shared_bad') =>
    sql`least(${sql.lit(WEIGHT_MAX)}, sum(${sql.ref(column)}))`
  return sql`
    insert into reputation as r (key_hash, org_id, bad, good, shared_bad, updated_at)
    select key_hash, org_id, ${sum('bad')}, ${sum('good')}, ${sum('shared_bad')}, max(at)
    from unnest(
      ${uuidArray(changes.map(({ key_hash }) => key_hash))}::uuid[],
      ${uuidArray(changes.map(({ org_id }) => org_id))}::uuid[],
      ${numberArray(changes.map(({ bad }) => bad))}::float8[],
      ${numberArray(changes.map(({ good }) => good))}::float8[],
      ${numberArray(changes.map(({ shared_bad }) => shared_bad))}::float8[],
      ${timeArray(changes.map(({ at }) => at))}::timestamptz[]
    ) as c (key_hash, org_id, bad, good, shared_bad, at)
    group by key_hash, org_id order by key_hash, org_id
    on conflict (key_hash, org_id) do update set
      bad = ${changed('bad')}, good = ${changed('good')},
      shared_bad = ${changed('shared_bad', sql`coalesce(r.shared_bad, r.bad)`)},
      updated_at = greatest(r.updated_at, excluded.updated_at)`
}

/** Reads all opinions about each identity without revealing which other organizations hold them. */
export async function readOpinions(db: Db, queries: readonly OpinionQuery[]): Promise<Opinion[][]> {
  if (queries.length === 0) return []
  // Offsets keep the planner at look-ups by key.
  const { rows } = await sql<Opinion & { index: number }>`
    select q.index::integer as index, r.org_id = q.org_id as is_own,
      coalesce(r.voice_id = own.voice_id, false) as is_own_voice,
      ${opinionColumns(sql`q.mode`)}
    from unnest(
      ${uuidArray(queries.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(queries.map(({ key_hash }) => key_hash))}::uuid[],
      ${textArray(queries.map(({ mode }) => mode))}::text[]
    ) with ordinality as q (org_id, key_hash, mode, index)
    cross join lateral (
      select r.*, v.voice_id, v.is_trusted, v.since, v.live_requests, v.test_requests
      from reputation r left join lateral (
        select * from reputation_voices v where v.org_id = r.org_id offset 0) v on true
      where r.key_hash = q.key_hash offset 0) r
    left join lateral (
      select v.voice_id from reputation_voices v where v.org_id = q.org_id offset 0) own
      on true`.execute(db)
  const answers: Opinion[][] = queries.map(() => [])
  for (const { index, ...opinion } of rows) answers[index - 1]?.push(opinion)
  return answers
}

/** Columns of an opinion `r` that is joined with its voice. */
const opinionColumns = (mode: RawBuilder<unknown>) => sql`
  greatest(0, r.bad) as bad, greatest(0, r.good) as good,
  greatest(0, coalesce(r.shared_bad, r.bad)) as shared_bad, r.updated_at, r.voice_id, r.is_trusted, r.since,
  case ${mode} when 'live' then r.live_requests else r.test_requests end as requests`

export type NamedOpinion = Opinion & { org_id: string; name: string }

const NAMED_MAX = 1000

/** Lists the opinions about an identity with their organizations, the oldest organizations first. */
export async function listNamedOpinions(
  db: Db,
  { mode, key_hash }: Omit<OpinionQuery, 'org_id'>,
): Promise<NamedOpinion[]> {
  const { rows } = await sql<NamedOpinion>`
    select r.org_id, r.name, false as is_own, false as is_own_voice,
      ${opinionColumns(sql`${mode}::text`)}
    from (
      select r.*, o.name, v.voice_id, v.is_trusted, v.since, v.live_requests, v.test_requests
      from reputation r
      join organizations o on o.id = r.org_id
      left join reputation_voices v on v.org_id = r.org_id
      where r.key_hash = ${key_hash}
      order by r.org_id limit ${sql.lit(NAMED_MAX)}) r`.execute(db)
  return rows
}

/**
 * Counts the opinions of an organization, about some identities or all. It reads the whole
 * table: an index would cost every write and only help the operator.
 */
export async function countOpinions(
  db: Db,
  orgId: string,
  keyHashes: readonly string[] | undefined,
): Promise<number> {
  const { opinions } = await db
    .selectFrom('reputation')
    .select((row) => row.fn.countAll<number>().as('opinions'))
    .where('org_id', '=', orgId)
    .$if(keyHashes !== undefined, (query) => query.where('key_hash', 'in', keyHashes ?? []))
    .executeTakeFirstOrThrow()
  return opinions
}

/** @returns the number of deleted opinions */
export async function deleteOpinions(
  tx: Db,
  orgId: string,
  keyHashes: readonly string[] | undefined,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('reputation')
    .where('org_id', '=', orgId)
    .$if(keyHashes !== undefined, (query) => query.where('key_hash', 'in', keyHashes ?? []))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const opinionWriter: Writer<OpinionChange> = { name: 'opinions', write: changeOpinions }

/** Deletes a bounded number of decayed opinions. @returns the number of deleted rows */
export async function sweepOpinions(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from reputation where ctid = any(array(
      select ctid from reputation where updated_at < ${before} limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(
    db,
  )
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
