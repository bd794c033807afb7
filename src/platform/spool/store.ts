/**
 * SQL of the spool: what waits here for the analytics engine, as lines that it takes. All times are
 * those of the database, so that nodes whose clocks differ take nothing from each other.
 */
import { type RawBuilder, sql } from 'kysely'
import { bytesArray, numberArray, textArray, uuidArray } from '../postgres/arrays.ts'
import type { Db } from '../postgres/db.ts'
import type { EdgeTables, SpoolTarget } from '../postgres/tables/edge.ts'
import type { Mode } from '../postgres/tables/platform.ts'

export type SpoolRow = Pick<
  EdgeTables['analytics_spool'],
  'org_id' | 'id' | 'mode' | 'target' | 'entries' | 'payload'
>

/** A piece of SQL, for the statement that writes what belongs to the rows as well. */
export const insertSpoolRows = (rows: readonly SpoolRow[]): RawBuilder<unknown> => sql`
  insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
  select *, length(payload) from unnest(
    ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
    ${uuidArray(rows.map(({ id }) => id))}::uuid[],
    ${textArray(rows.map(({ mode }) => mode))}::text[],
    ${textArray(rows.map(({ target }) => target))}::text[],
    ${numberArray(rows.map(({ entries }) => entries))}::float8[],
    ${bytesArray(rows.map(({ payload }) => payload))}::bytea[]
  ) as r (org_id, id, mode, target, entries, payload)`

export type FlushQuery = {
  target: SpoolTarget
  /** Name of the flush, when a new one is made. */
  flush_id: string
  /** Marks the rows as taken by this claim. */
  lease_id: string
  lease_ms: number
  /** A new flush is made when so many entries wait, or one so long (null: only by the number). */
  entries_min: number
  oldest_ms: number | null
  /** A flush takes no more, except that it takes at least one row. */
  entries_max: number
  bytes_max: number
  rows_max: number
  /** While a flush that failed is tried no more often than this, no new one is made. */
  failing_attempts_max: number
  /** Nor while so many fail. */
  failing_flushes_max: number
}

export type ClaimedFlush = {
  flush_id: string
  lease_id: string
  /** This one included. */
  attempts: number
  rows: number
  entries: number
}

/**
 * Takes a flush whose lease has ended, with the rows it was made of; else makes a new one of what
 * waits. Its first row is the latch: who has that has the flush, and who comes second passes by.
 */
export async function claimFlush(db: Db, query: FlushQuery): Promise<ClaimedFlush | undefined> {
  const { target, flush_id, lease_id, entries_max, bytes_max, rows_max } = query
  const leasedUntil = sql`statement_timestamp() + ${query.lease_ms}::float8 * interval '1 millisecond'`
  const { rows } = await sql<ClaimedFlush>`
    with unfinished as materialized (
      select id, flush_id, lease_id, leased_until, attempts, refusal from analytics_spool
      where target = ${target} and flush_id is not null and flushed_at is null
    ), latch as (
      select flush_id from analytics_spool
      where id = (select id from unfinished where leased_until <= statement_timestamp()
          order by leased_until, flush_id, id limit 1)
        and flushed_at is null and leased_until <= statement_timestamp()
      for update skip locked
    ), failing as (
      select count(distinct flush_id) as flushes, min(attempts) as attempts from unfinished
      where (lease_id is null or attempts > 1) and refusal is null
    ), waiting as materialized (
      select id, entries, bytes, created_at, sum(entries) over w as entries_so_far,
        sum(bytes) over w as bytes_so_far, row_number() over w as place
      from (select id, entries, bytes, created_at from analytics_spool
        where target = ${target} and flush_id is null order by id limit ${rows_max}::integer) first
      window w as (order by id rows unbounded preceding)
    ), picked as (
      select id from waiting
      where (place = 1 or entries_so_far <= ${entries_max}::float8 and bytes_so_far <= ${bytes_max}::float8)
        and (select sum(entries) >= ${query.entries_min}::float8 or sum(bytes) >= ${bytes_max}::float8
          or count(*) >= ${rows_max}::float8 or min(created_at) <=
            statement_timestamp() - ${query.oldest_ms}::float8 * interval '1 millisecond' from waiting)
        and not exists (select from latch)
        and (select flushes = 0 or flushes < ${query.failing_flushes_max}::float8
          and attempts > ${query.failing_attempts_max}::float8 from failing)
    ), locked as (
      select id from analytics_spool
      where id = any(array(select id from picked)) and flush_id is null for update skip locked
    ), again as (
      update analytics_spool set attempts = attempts + 1, lease_id = ${lease_id}::uuid,
        leased_until = ${leasedUntil}
      where flush_id = (select flush_id from latch) and flushed_at is null
      returning flush_id, lease_id, attempts, entries
    ), made as (
      update analytics_spool set attempts = 1, flush_id = ${flush_id}::uuid,
        lease_id = ${lease_id}::uuid, leased_until = ${leasedUntil}
      where id = any(array(select id from locked))
      returning flush_id, lease_id, attempts, entries
    )
    select flush_id, lease_id, max(attempts) as attempts, count(*) as rows, sum(entries) as entries
    from (select * from again union all select * from made) claimed
    group by flush_id, lease_id`.execute(db)
  return rows[0]
}

/** The lines of a flush, in the same order each time that it is sent. */
export async function readFlush(db: Db, flushId: string): Promise<Buffer[]> {
  // As text: the driver would get the bytes in hexadecimal digits.
  const { rows } = await sql<{ lines: string }>`
    select convert_from(payload, 'UTF8') as lines from analytics_spool
    where flush_id = ${flushId} and flushed_at is null order by id`.execute(db)
  return rows.map(({ lines }) => Buffer.from(lines))
}

/** That it has arrived is a fact, whoever holds the lease meanwhile. */
export async function markFlushed(db: Db, flushId: string): Promise<void> {
  await sql`
    update analytics_spool set flushed_at = statement_timestamp(), lease_id = null,
      leased_until = null, refusal = null
    where flush_id = ${flushId} and flushed_at is null`.execute(db)
}

export type Lease = Pick<ClaimedFlush, 'flush_id' | 'lease_id'>

/** Gives it back, to be sent again in a while, unless the lease was lost. */
export async function releaseFlush(
  db: Db,
  { flush_id, lease_id }: Lease,
  release: { delay_ms: number; refusal: string | null },
): Promise<void> {
  await sql`
    update analytics_spool set lease_id = null, refusal = ${release.refusal},
      leased_until = statement_timestamp() + ${release.delay_ms}::float8 * interval '1 millisecond'
    where flush_id = ${flush_id} and lease_id = ${lease_id} and flushed_at is null`.execute(db)
}

/** Makes two flushes of one, each of half of the rows and due at once, unless the lease was lost. */
export async function splitFlush(
  db: Db,
  { flush_id, lease_id }: Lease,
  [first, second]: readonly [string, string],
): Promise<void> {
  await sql`
    update analytics_spool s set attempts = 0, lease_id = null, leased_until = statement_timestamp(),
      flush_id = case when h.half = 1 then ${first}::uuid else ${second}::uuid end
    from (select id, ntile(2) over (order by id) as half from analytics_spool
      where flush_id = ${flush_id} and lease_id = ${lease_id} and flushed_at is null) h
    where s.id = h.id`.execute(db)
}

/** So long what has arrived stays, for the live tail. */
export const KEPT_SECONDS = 10
export const SWEEP_ROWS_MAX = 5000

/** @returns how many were deleted */
export async function sweepFlushed(db: Db): Promise<number> {
  const result = await sql`
    delete from analytics_spool where id = any(array(
      select id from analytics_spool
      where flushed_at < statement_timestamp() - make_interval(secs => ${sql.lit(KEPT_SECONDS)})
      limit ${sql.lit(SWEEP_ROWS_MAX)} for update skip locked))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

export type Backlog = {
  target: SpoolTarget
  rows: number
  entries: number
  bytes: number
  oldest_waiting_seconds: number
  /** Rows that the engine will not take. They are kept and tried again now and then. */
  refused_rows: number
  /** Of one of them. */
  refusal: string | null
}

/** What has not arrived yet, by target. Reads every row that waits. */
export async function readBacklog(db: Db): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    select target, count(*) as rows, sum(entries) as entries, sum(bytes) as bytes,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as oldest_waiting_seconds,
      count(refusal) as refused_rows, max(refusal) as refusal
    from analytics_spool where flushed_at is null group by target order by target`.execute(db)
  return rows
}

/** Bytes that have not arrived yet, from the indices alone where possible. */
export async function readWaitingBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (coalesce((select sum(bytes) from analytics_spool where flush_id is null), 0)
      + coalesce((select sum(bytes) from analytics_spool
        where flush_id is not null and flushed_at is null), 0))::bigint as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

export type RecentBatch = { id: string; org_id: string; mode: Mode; payload: Buffer }

/** Ids begin with the time by the clock of the node that made them, which may be so far behind. */
const CLOCKS_APART_MS = 60_000
const RECENT_BYTES_MAX = 8_388_608

/**
 * What was taken in since, arrived or not; of more than fits, the oldest.
 *
 * @param since by the clock of the database
 * @param options.seen ids of batches that are not wanted again
 */
export async function readRecentBatches(
  db: Db,
  orgIds: readonly string[],
  since: Date,
  {
    target = 'edge_logs',
    seen = [],
    bytes_max = RECENT_BYTES_MAX,
  }: { target?: SpoolTarget; seen?: readonly string[]; bytes_max?: number } = {},
): Promise<RecentBatch[]> {
  const { rows } = await sql<Omit<RecentBatch, 'payload'> & { lines: string }>`
    select s.id, s.org_id, s.mode, convert_from(s.payload, 'UTF8') as lines
    from analytics_spool s join (
      select id, sum(bytes) over w as bytes_so_far, row_number() over w as place
      from analytics_spool
      where id >= ${firstIdAt(since.getTime() - CLOCKS_APART_MS)}::uuid and created_at >= ${since}
        and target = ${target} and org_id = any(${uuidArray(orgIds)}::uuid[])
        and id <> all(${uuidArray(seen)}::uuid[])
      window w as (order by created_at, id rows unbounded preceding)
    ) r on r.id = s.id
    where r.place = 1 or r.bytes_so_far <= ${bytes_max}::float8
    order by r.place`.execute(db)
  return rows.map(({ id, org_id, mode, lines }) => ({
    id,
    org_id,
    mode,
    payload: Buffer.from(lines),
  }))
}

/** The lowest UUIDv7 of this time. */
function firstIdAt(unixMs: number): string {
  const time = Math.max(0, unixMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`
}

/**
 * When the oldest of what waits for a table of the analytics engine was received, but for what it will
 * not take.
 *
 * @returns undefined when it has all
 */
export async function findOldestWaiting(db: Db, target: SpoolTarget): Promise<Date | undefined> {
  const { rows } = await sql<{ oldest: Date | null }>`
    select least(
      (select created_at from analytics_spool
       where target = ${target} and flush_id is null order by id limit 1),
      (select min(created_at) from analytics_spool
       where target = ${target} and flush_id is not null and flushed_at is null
         and refusal is null)
    ) as oldest`.execute(db)
  return rows[0]?.oldest ?? undefined
}
