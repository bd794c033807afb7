/** SQL of the request counts that all processes share. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

/** Number of requests of a class per window, by the clock of the database. */
export type Allowance = { class: string; requests: number; window_seconds: number }

/** Twice the longest window, so that no window is deleted while it counts. */
const RETENTION_SECONDS = 120

const windowOf = ({ window_seconds }: Allowance) =>
  sql`date_bin(make_interval(secs => ${window_seconds}::float8), clock_timestamp(), 'epoch')`

const secondsLeft = (allowance: Allowance) =>
  sql`${allowance.window_seconds}::float8
    - extract(epoch from clock_timestamp() - ${windowOf(allowance)})::float8`

/**
 * Counts one request if it fits under both allowances and neither is paused. The class is counted before
 * the total, so a request that the total refuses costs only its own class.
 *
 * @returns seconds until the next try is worthwhile, undefined when the request was counted
 */
export async function takeRequest(
  db: Db,
  own: Allowance,
  total: Allowance,
): Promise<number | undefined> {
  const { rows } = await sql<{ retry_after_s: number | null }>`
    with pause as (
      select extract(epoch from max(paused_until) - clock_timestamp())::float8 as seconds
      from mdm_request_pauses
      where class in (${own.class}, ${total.class}) and paused_until > clock_timestamp()
      having count(*) > 0
    ), of_own as (
      insert into mdm_request_counts as c (class, started_at, requests)
      select ${own.class}, ${windowOf(own)}, 1 where not exists (select from pause)
      on conflict (class, started_at) do update set requests = c.requests + 1
        where c.requests < ${own.requests}::integer
      returning 1
    ), of_all as (
      insert into mdm_request_counts as c (class, started_at, requests)
      select ${total.class}, ${windowOf(total)}, 1 from of_own
      on conflict (class, started_at) do update set requests = c.requests + 1
        where c.requests < ${total.requests}::integer
      returning 1
    ), ended as (
      delete from mdm_request_counts where (class, started_at) in (
        select class, started_at from mdm_request_counts
        where started_at < clock_timestamp() - make_interval(secs => ${RETENTION_SECONDS}::float8)
        order by 1, 2 for update skip locked
      )
    )
    select case
      when exists (select from of_all) then null
      when exists (select from pause) then (select seconds from pause)
      when exists (select from of_own) then ${secondsLeft(total)}
      else ${secondsLeft(own)}
    end as retry_after_s`.execute(db)
  return rows[0]?.retry_after_s ?? undefined
}

/** Returns how many requests fit at the moment, without counting any. */
export async function countRoom(db: Db, own: Allowance, total: Allowance): Promise<number> {
  const used = (allowance: Allowance) => sql`coalesce((
    select requests from mdm_request_counts
    where class = ${allowance.class} and started_at = ${windowOf(allowance)}), 0)`
  const { rows } = await sql<{ room: number }>`
    select case when exists (
      select from mdm_request_pauses
      where class in (${own.class}, ${total.class}) and paused_until > clock_timestamp()
    ) then 0 else greatest(0, least(
      ${own.requests}::integer - ${used(own)}, ${total.requests}::integer - ${used(total)}
    )) end::integer as room`.execute(db)
  return rows[0]?.room ?? 0
}

/** A pause that lasts longer already is not shortened. */
export async function upsertPause(db: Db, requestClass: string, seconds: number): Promise<void> {
  await sql`
    insert into mdm_request_pauses as p (class, paused_until)
    values (${requestClass}, clock_timestamp() + make_interval(secs => ${seconds}::float8))
    on conflict (class) do update
      set paused_until = greatest(p.paused_until, excluded.paused_until)`.execute(db)
}
