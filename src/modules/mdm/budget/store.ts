/** SQL of how many requests were made to the provider, of all processes together. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

/** So many requests of a class within windows of so many seconds, by the clock of the database. */
export type Allowance = { class: string; requests: number; window_seconds: number }

/** Windows are of no use after they ended; the longest is a minute. */
const KEPT_SECONDS = 120

const windowOf = ({ window_seconds }: Allowance) =>
  sql`date_bin(make_interval(secs => ${window_seconds}::float8), clock_timestamp(), 'epoch')`

const secondsLeft = (allowance: Allowance) =>
  sql`${allowance.window_seconds}::float8
    - extract(epoch from clock_timestamp() - ${windowOf(allowance)})::float8`

/**
 * Counts one request if there is room for it under both allowances and nothing is paused. The own one
 * comes first: what it counts in vain while the common one is full is missed by nobody.
 *
 * @returns seconds until there may be room, undefined when the request was counted
 */
export async function takeRequest(
  db: Db,
  own: Allowance,
  common: Allowance,
): Promise<number | undefined> {
  const { rows } = await sql<{ retry_after_s: number | null }>`
    with pause as (
      select extract(epoch from max(paused_until) - clock_timestamp())::float8 as seconds
      from mdm_request_pauses
      where class in (${own.class}, ${common.class}) and paused_until > clock_timestamp()
      having count(*) > 0
    ), of_own as (
      insert into mdm_request_counts as c (class, started_at, requests)
      select ${own.class}, ${windowOf(own)}, 1 where not exists (select from pause)
      on conflict (class, started_at) do update set requests = c.requests + 1
        where c.requests < ${own.requests}::integer
      returning 1
    ), of_all as (
      insert into mdm_request_counts as c (class, started_at, requests)
      select ${common.class}, ${windowOf(common)}, 1 from of_own
      on conflict (class, started_at) do update set requests = c.requests + 1
        where c.requests < ${common.requests}::integer
      returning 1
    ), ended as (
      delete from mdm_request_counts where (class, started_at) in (
        select class, started_at from mdm_request_counts
        where started_at < clock_timestamp() - make_interval(secs => ${KEPT_SECONDS}::float8)
        order by 1, 2 for update skip locked
      )
    )
    select case
      when exists (select from of_all) then null
      when exists (select from pause) then (select seconds from pause)
      when exists (select from of_own) then ${secondsLeft(common)}
      else ${secondsLeft(own)}
    end as retry_after_s`.execute(db)
  return rows[0]?.retry_after_s ?? undefined
}

/** How many requests there is room for at the moment; nothing is counted. */
export async function countRoom(db: Db, own: Allowance, common: Allowance): Promise<number> {
  const used = (allowance: Allowance) => sql`coalesce((
    select requests from mdm_request_counts
    where class = ${allowance.class} and started_at = ${windowOf(allowance)}), 0)`
  const { rows } = await sql<{ room: number }>`
    select case when exists (
      select from mdm_request_pauses
      where class in (${own.class}, ${common.class}) and paused_until > clock_timestamp()
    ) then 0 else greatest(0, least(
      ${own.requests}::integer - ${used(own)}, ${common.requests}::integer - ${used(common)}
    )) end::integer as room`.execute(db)
  return rows[0]?.room ?? 0
}

/** Until the later of what was asked for now and before. */
export async function upsertPause(db: Db, requestClass: string, seconds: number): Promise<void> {
  await sql`
    insert into mdm_request_pauses as p (class, paused_until)
    values (${requestClass}, clock_timestamp() + make_interval(secs => ${seconds}::float8))
    on conflict (class) do update
      set paused_until = greatest(p.paused_until, excluded.paused_until)`.execute(db)
}
