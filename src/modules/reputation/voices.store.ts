/** SQL of voices: which organizations belong together, and how much each one has used the service. */
import { sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
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

/**
 * Adds the checks, orders and cashier actions of further hours to the requests of a bounded number
 * of organizations that have fewer than are needed. Checks and orders are read from the hourly
 * slots, so an hour is counted once it is folded.
 * @returns the number of organizations that were counted
 */
export async function countRequests(db: Db, needed: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with due as materialized (
      select v.org_id, v.counted_until as from_at, least(
        v.counted_until + make_interval(days => ${sql.lit(COUNTED_DAYS_MAX)}), f.until) as until_at
      from reputation_voices v,
        (select date_trunc('hour', folded_until, 'UTC') as until from usage_fold) f
      where least(v.live_requests, v.test_requests) < ${needed} and v.counted_until < f.until
      order by v.org_id limit ${sql.lit(COUNTED_ORGANIZATIONS_MAX)}
      for update of v skip locked
    ), counted as (
      select d.org_id, d.until_at,
        coalesce(sum(n.quantity) filter (where n.mode = 'live'), 0)::bigint as live_requests,
        coalesce(sum(n.quantity) filter (where n.mode = 'test'), 0)::bigint as test_requests
      from due d left join lateral (
        select mode, quantity from usage_slots s
        where s.org_id = d.org_id and s.mode in ('live', 'test')
          and s.slot_at >= d.from_at and s.slot_at < d.until_at and s.meter in ('check', 'order')
        union all
        select mode, 1 from cashier_actions a
        where a.org_id = d.org_id
          and a.id >= ${firstIdAt('d.from_at')} and a.id < ${firstIdAt('d.until_at')}
      ) n on true
      group by d.org_id, d.until_at
    )
    update reputation_voices v set counted_until = c.until_at,
      live_requests = v.live_requests + c.live_requests,
      test_requests = v.test_requests + c.test_requests
    from counted c where c.org_id = v.org_id`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** 48 bits of milliseconds lead a UUID of version 7; no id of that time is below this one. */
const firstIdAt = (column: string) => sql`(lpad(to_hex(
  (extract(epoch from ${sql.ref(column)}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`
