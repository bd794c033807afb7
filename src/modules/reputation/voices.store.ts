/** SQL of voices: which organizations belong together, and how much each one has used the service. */
import { sql } from 'kysely'
import { numberArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** Serializes the changes of voices until the end of the transaction. */
export async function lockVoices(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('reputation_voices', 0))`.execute(tx)
}

export async function insertMissingVoices(tx: Db): Promise<void> {
  await sql`
    insert into reputation_voices (org_id, voice_id, since, counted_until)
    select o.id, o.id, o.created_at, date_trunc('hour', o.created_at, 'UTC')
    from organizations o
    where not exists (select from reputation_voices v where v.org_id = o.id)
    on conflict do nothing`.execute(tx)
}

/** Lists the organizations of each owner of several, and the descendants of each organization. */
export async function listRelated(tx: Db): Promise<string[][]> {
  const { rows } = await sql<{ ids: string[] }>`
    select array_agg(org_id::text) as ids from memberships
    where role = 'owner' group by user_id having count(*) > 1
    union all
    select root_id::text || array_agg(id::text) from organizations
    where root_id is not null group by root_id`.execute(tx)
  return rows.map(({ ids }) => ids)
}

/** An organization that is not listed is a voice alone. */
export async function updateVoices(tx: Db, voices: ReadonlyMap<string, string>): Promise<void> {
  await sql`
    update reputation_voices v set voice_id = next.voice_id
    from (
      select w.org_id, coalesce(joined.voice_id, w.org_id) as voice_id
      from reputation_voices w
      left join unnest(${uuidArray([...voices.keys()])}::uuid[],
        ${uuidArray([...voices.values()])}::uuid[]) as joined (org_id, voice_id)
        on joined.org_id = w.org_id
    ) next
    where v.org_id = next.org_id and v.voice_id <> next.voice_id`.execute(tx)
}

/** @returns false when the organization does not exist */
export async function updateTrust(
  tx: Db,
  orgId: string,
  isTrusted: boolean | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('reputation_voices')
    .set({ is_trusted: isTrusted })
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const COUNTED_ORGANIZATIONS_MAX = 50
const COUNTED_DAYS_MAX = 31

export type DueVoice = { org_id: string; from_at: Date; until_at: Date }

/** Lists a bounded number of organizations of a cell with fewer requests than are needed, and what to count. */
export async function listDueVoices(
  directory: Db,
  needed: number,
  until: Date,
  cell: string,
): Promise<DueVoice[]> {
  const { rows } = await sql<DueVoice>`
    select org_id, counted_until as from_at, least(${until}::timestamptz,
      counted_until + make_interval(days => ${sql.lit(COUNTED_DAYS_MAX)})) as until_at
    from reputation_voices
    where least(live_requests, test_requests) < ${needed} and counted_until < ${until}
      and org_id in (select id from organizations where cell = ${cell})
    order by org_id limit ${sql.lit(COUNTED_ORGANIZATIONS_MAX)}`.execute(directory)
  return rows
}

/** The full hour up to which checks and orders are in the hourly slots; undefined before the first. */
export async function findCountable(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select date_trunc('hour', folded_until, 'UTC') as until from usage_fold`.execute(db)
  return rows[0]?.until
}

export type CountedVoice = DueVoice & { live_requests: number; test_requests: number }

/**
 * Counts the checks, orders and cashier actions of the given hours. Checks and orders are read from the
 * hourly slots, so an hour is counted once it is folded.
 */
export async function countRequests(db: Db, due: readonly DueVoice[]): Promise<CountedVoice[]> {
  const { rows } = await sql<CountedVoice>`
    select d.org_id, d.from_at, d.until_at,
      coalesce(sum(n.quantity) filter (where n.mode = 'live'), 0)::bigint as live_requests,
      coalesce(sum(n.quantity) filter (where n.mode = 'test'), 0)::bigint as test_requests
    from unnest(${uuidArray(due.map(({ org_id }) => org_id))}::uuid[],
      ${timeArray(due.map(({ from_at }) => from_at))}::timestamptz[],
      ${timeArray(due.map(({ until_at }) => until_at))}::timestamptz[]
    ) as d (org_id, from_at, until_at) left join lateral (
      select mode, quantity from usage_slots s
      where s.org_id = d.org_id and s.mode in ('live', 'test')
        and s.slot_at >= d.from_at and s.slot_at < d.until_at and s.meter in ('check', 'order')
      union all
      select mode, 1 from cashier_actions a
      where a.org_id = d.org_id
        and a.id >= ${firstIdAt('d.from_at')} and a.id < ${firstIdAt('d.until_at')}
    ) n on true
    group by 1, 2, 3`.execute(db)
  return rows
}

/** Adds what was counted, except where another process has added it. @returns the number of voices */
export async function addRequests(
  directory: Db,
  counted: readonly CountedVoice[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    with counted as materialized (
      select v.org_id, c.* from reputation_voices v join unnest(
        ${uuidArray(counted.map(({ org_id }) => org_id))}::uuid[],
        ${timeArray(counted.map(({ from_at }) => from_at))}::timestamptz[],
        ${timeArray(counted.map(({ until_at }) => until_at))}::timestamptz[],
        ${numberArray(counted.map(({ live_requests }) => live_requests))}::float8[],
        ${numberArray(counted.map(({ test_requests }) => test_requests))}::float8[]
      ) as c (id, from_at, until_at, live_requests, test_requests)
        on c.id = v.org_id and c.from_at = v.counted_until
      order by v.org_id for update of v
    )
    update reputation_voices v set counted_until = c.until_at,
      live_requests = v.live_requests + c.live_requests::bigint,
      test_requests = v.test_requests + c.test_requests::bigint
    from counted c where c.org_id = v.org_id`.execute(directory)
  return Number(numAffectedRows ?? 0n)
}

/** 48 bits of milliseconds lead a UUID of version 7; no id of that time is below this one. */
const firstIdAt = (column: string) => sql`(lpad(to_hex(
  (extract(epoch from ${sql.ref(column)}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`
