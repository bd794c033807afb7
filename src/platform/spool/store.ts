/**
 * SQL of the spool, which holds lines of JSON for the analytics engine. All times come from the
 * database, so that nodes with different clocks respect each other's leases.
 */
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt, timeOfId } from '../ids.ts'
import type { Mode } from '../owner.ts'
import { bytesArray, numberArray, textArray, uuidArray } from '../postgres/arrays.ts'
import type { Db } from '../postgres/db.ts'
import type { WaitingBytes } from './gauge.ts'
import { decodePayload, type Encoded, encodePayload } from './payload.ts'
import type { Payload, RowShape } from './rows.ts'
import type { SpoolTables } from './tables.ts'
import { ungroupedTarget } from './ungrouped.store.ts'

/** A row as it is stored; `bytes` is the size of its payload before it was encoded. */
export type EncodedRow = Pick<
  SpoolTables['analytics_spool'],
  'org_id' | 'id' | 'mode' | 'target' | 'entries' | 'payload' | 'bytes'
>

export type SpoolRow = Omit<EncodedRow, 'bytes'> & {
  /** Of binary rows; absent for lines of JSON. */
  shape?: RowShape | undefined
}

export const encodeRows = async (rows: readonly SpoolRow[]): Promise<EncodedRow[]> =>
  await Promise.all(
    rows.map(async ({ shape, ...row }) => ({
      ...row,
      payload: await encodePayload({ rows: row.payload, shape }),
      bytes: row.payload.length,
    })),
  )

/** Returns SQL for the statement that also writes the other rows of a batch. */
export const insertSpoolRows = (rows: readonly EncodedRow[]): RawBuilder<unknown> => sql`
  insert into analytics_spool (org_id, id, mode, target, entries, payload, bytes)
  select * from unnest(
    ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
    ${uuidArray(rows.map(({ id }) => id))}::uuid[],
    ${textArray(rows.map(({ mode }) => mode))}::text[],
    ${textArray(rows.map(({ target }) => target))}::text[],
    ${numberArray(rows.map(({ entries }) => entries))}::float8[],
    ${bytesArray(rows.map(({ payload }) => payload))}::bytea[],
    ${numberArray(rows.map(({ bytes }) => bytes))}::float8[]
  )`

export type FlushQuery = {
  target: string
  /** Id of the flush, if a new one is created. */
  flush_id: string
  /** Marks the rows as leased by this claim. */
  lease_id: string
  lease_ms: number
  /** A new flush is created when this many entries wait, or one for `oldest_ms` (null: no limit). */
  entries_min: number
  oldest_ms: number | null
  /** Limits of a flush, which contains at least one row in any case. */
  entries_max: number
  bytes_max: number
  rows_max: number
  /** No new flush is created while a failing one has had at most this many attempts. */
  failing_attempts_max: number
  /** No new flush is created while this many fail. */
  failing_flushes_max: number
}

export type ClaimedFlush = {
  flush_id: string
  lease_id: string
  /** Number of attempts, including this one. */
  attempts: number
  rows: number
  entries: number
}

/**
 * Claims a flush whose lease has expired, with the same rows as before; otherwise creates a new one
 * from waiting rows. The lock on the first row of a flush decides which of several claims gets it.
 */
export async function claimFlush(db: Db, query: FlushQuery): Promise<ClaimedFlush | undefined> {
  const { target, flush_id, lease_id, entries_max, bytes_max, rows_max } = query
  const leasedUntil = sql`statement_timestamp() + ${query.lease_ms}::float8 * interval '1 millisecond'`
  const { rows } = await sql<ClaimedFlush>`
    with unfinished as materialized (
      select org_id, id, flush_id, lease_id, leased_until, attempts, refusal from analytics_spool
      where target = ${target} and flush_id is not null and flushed_at is null
    ), latch as (
      select flush_id from analytics_spool
      where (org_id, id) = (select org_id, id from unfinished
          where leased_until <= statement_timestamp() order by leased_until, flush_id, id limit 1)
        and flushed_at is null and leased_until <= statement_timestamp()
      for update skip locked
    ), failing as (
      select count(distinct flush_id) as flushes, min(attempts) as attempts from unfinished
      where (lease_id is null or attempts > 1) and refusal is null
    ), waiting as materialized (
      select org_id, id, entries, bytes, created_at, sum(entries) over w as entries_so_far,
        sum(bytes) over w as bytes_so_far, row_number() over w as place
      from (select org_id, id, entries, bytes, created_at from analytics_spool
        where target = ${target} and flush_id is null order by id limit ${rows_max}::integer) first
      window w as (order by id rows unbounded preceding)
    ), picked as (
      select org_id, id from waiting
      where (place = 1 or entries_so_far <= ${entries_max}::float8 and bytes_so_far <= ${bytes_max}::float8)
        and (select sum(entries) >= ${query.entries_min}::float8 or sum(bytes) >= ${bytes_max}::float8
          or count(*) >= ${rows_max}::float8 or min(created_at) <=
            statement_timestamp() - ${query.oldest_ms}::float8 * interval '1 millisecond' from waiting)
        and not exists (select from latch)
        and (select flushes = 0 or flushes < ${query.failing_flushes_max}::float8
          and attempts > ${query.failing_attempts_max}::float8 from failing)
    ), locked as (
      select s.org_id, s.id from picked p cross join lateral (
        select org_id, id from analytics_spool
        where org_id = p.org_id and id = p.id and flush_id is null for update skip locked) s
    ), again as (
      update analytics_spool set attempts = attempts + 1, lease_id = ${lease_id}::uuid,
        leased_until = ${leasedUntil}
      where flush_id = (select flush_id from latch) and flushed_at is null
      returning flush_id, lease_id, attempts, entries
    ), made as (
      update analytics_spool s set attempts = 1, flush_id = ${flush_id}::uuid,
        lease_id = ${lease_id}::uuid, leased_until = ${leasedUntil}
      from locked l where s.org_id = l.org_id and s.id = l.id
      returning s.flush_id, s.lease_id, s.attempts, s.entries
    )
    select flush_id, lease_id, max(attempts) as attempts, count(*) as rows, sum(entries) as entries
    from (select * from again union all select * from made) claimed
    group by flush_id, lease_id`.execute(db)
  return rows[0]
}

/** Returns the payloads of a flush, always in the same order. */
export async function readFlush(db: Db, flushId: string): Promise<Payload[]> {
  const { rows } = await sql<Encoded>`
    select payload, bytes from analytics_spool
    where flush_id = ${flushId} and flushed_at is null order by id`.execute(db)
  return await Promise.all(rows.map(decodePayload))
}

/** Does not check the lease, because a flush that has arrived must not be sent again. */
export async function markFlushed(db: Db, flushId: string): Promise<void> {
  await sql`
    update analytics_spool set flushed_at = statement_timestamp(), lease_id = null,
      leased_until = null, refusal = null
    where flush_id = ${flushId} and flushed_at is null`.execute(db)
}

export type Lease = Pick<ClaimedFlush, 'flush_id' | 'lease_id'>

/** Releases a flush so that it is sent again after the delay, unless the lease was lost. */
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

/** Splits a flush into two halves that are due immediately, unless the lease was lost. */
export async function splitFlush(
  db: Db,
  { flush_id, lease_id }: Lease,
  [first, second]: readonly [string, string],
): Promise<void> {
  await sql`
    update analytics_spool s set attempts = 0, lease_id = null, leased_until = statement_timestamp(),
      flush_id = case when h.half = 1 then ${first}::uuid else ${second}::uuid end
    from (select org_id, id, ntile(2) over (order by id) as half from analytics_spool
      where flush_id = ${flush_id} and lease_id = ${lease_id} and flushed_at is null) h
    where s.org_id = h.org_id and s.id = h.id`.execute(db)
}

/** Flushed rows are kept for this long, for the live tail. */
export const RETENTION_SECONDS = 10
export const SWEEP_ROWS_MAX = 5000

/** @returns the number of deleted rows */
export async function sweepFlushed(db: Db): Promise<number> {
  const result = await sql`
    delete from analytics_spool where ctid = any(array(
      select ctid from analytics_spool
      where flushed_at < statement_timestamp() - make_interval(secs => ${sql.lit(RETENTION_SECONDS)})
      limit ${sql.lit(SWEEP_ROWS_MAX)} for update skip locked))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

export type Backlog = {
  target: string
  rows: number
  entries: number
  bytes: number
  oldest_waiting_seconds: number
  /** Rows that the engine refused. They are kept and retried periodically. */
  refused_rows: number
  /** Reason of one of the refusals. */
  refusal: string | null
}

/** Returns what has not been flushed, by target. Reads every waiting row. */
export async function readBacklog(db: Db): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    select target, count(*) as rows, sum(entries) as entries, sum(bytes) as bytes,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as oldest_waiting_seconds,
      count(refusal) as refused_rows, max(refusal) as refusal
    from analytics_spool where flushed_at is null group by target order by target`.execute(db)
  return rows
}

/** An organization that is not among them holds less than a hundredth of all bytes. */
const ORGANIZATIONS_MAX = 100

/** Returns the bytes that have not been flushed; uses only indexes where possible. */
export async function readWaitingBytes(db: Db): Promise<WaitingBytes> {
  const { rows } = await sql<{ org_id: string; bytes: number; total: number }>`
    select org_id, sum(bytes)::bigint as bytes, sum(sum(bytes)) over ()::bigint as total from (
      select org_id, bytes from analytics_spool where flush_id is null
      union all
      select org_id, bytes from analytics_spool where flush_id is not null and flushed_at is null
    ) waiting
    group by org_id order by bytes desc limit ${sql.lit(ORGANIZATIONS_MAX)}`.execute(db)
  return {
    total: rows[0]?.total ?? 0,
    by_organization: new Map(rows.map(({ org_id, bytes }) => [org_id, bytes])),
  }
}

export type RecentBatch = { id: string; org_id: string; mode: Mode; payload: Payload }

/** Ids begin with the time of the node that created them, whose clock can be this far behind. */
const CLOCKS_APART_MS = 60_000
const RECENT_BYTES_MAX = 8_388_608

/**
 * Returns batches that were received since, whether or not they were flushed. If there are more than
 * `bytes_max`, the oldest are returned.
 * @param since by the clock of the database
 * @param options.seen ids of batches to leave out
 */
export async function readRecentBatches(
  db: Db,
  orgIds: readonly string[],
  since: Date,
  options: { target: string; seen?: readonly string[]; bytes_max?: number },
): Promise<RecentBatch[]> {
  const { target, seen = [], bytes_max = RECENT_BYTES_MAX } = options
  const { rows } = await sql<Omit<RecentBatch, 'payload'> & Encoded>`
    select s.id, s.org_id, s.mode, s.payload, s.bytes
    from analytics_spool s join (
      select org_id, id, sum(bytes) over w as bytes_so_far, row_number() over w as place
      from analytics_spool
      where id >= ${lowestIdAt(since.getTime() - CLOCKS_APART_MS)}::uuid and created_at >= ${since}
        and target = ${target} and org_id = any(${uuidArray(orgIds)}::uuid[])
        and id <> all(${uuidArray(seen)}::uuid[])
      window w as (order by created_at, id rows unbounded preceding)
    ) r on r.org_id = s.org_id and r.id = s.id
    where r.place = 1 or r.bytes_so_far <= ${bytes_max}::float8
    order by r.place`.execute(db)
  return await Promise.all(
    rows.map(async ({ id, org_id, mode, ...encoded }) => {
      return { id, org_id, mode, payload: await decodePayload(encoded) }
    }),
  )
}

/**
 * Returns the time of receipt of the oldest batch of each organization that waits for a table of the
 * analytics engine, grouped or not. Refused rows do not count. Uses only indexes where possible.
 */
export async function readOldestWaiting(db: Db, target: string): Promise<Map<string, Date>> {
  const { rows } = await sql<{ org_id: string; id: string }>`
    select org_id, min(id::text) as id from (
      select org_id, id from analytics_spool
      where target in (${target}, ${ungroupedTarget(target)}) and flush_id is null
      union all
      select org_id, id from analytics_spool
      where target = ${target} and flush_id is not null and flushed_at is null and refusal is null
    ) waiting
    group by org_id`.execute(db)
  return new Map(rows.map(({ org_id, id }) => [org_id, timeOfId(id)]))
}
