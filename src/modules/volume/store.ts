/** SQL that folds usage into hourly slots, and reads them together with rows not folded yet. */
import { sql } from 'kysely'
import { lowestIdAt, timeOfId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { foldKeys, unfoldedFrom } from './keys.store.ts'

/** Counts flagged orders; it has no price. */
export const FLAGGED_METER = 'flagged_order'

/** @returns undefined while another process folds */
export async function lockFold(tx: Db, begin: Date): Promise<Date | undefined> {
  const lock = async () =>
    await tx
      .selectFrom('usage_fold')
      .select('folded_until')
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
  const row = await lock()
  if (row) return row.folded_until
  await tx
    .insertInto('usage_fold')
    .values({ folded_until: begin })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await lock())?.folded_until
}

/** The time up to which usage is in the slots; undefined before the first fold. */
export async function findFoldedUntil(db: Db): Promise<Date | undefined> {
  const row = await db.selectFrom('usage_fold').select('folded_until').executeTakeFirst()
  return row?.folded_until
}

/**
 * Returns the start of the oldest open transaction that has written something: its rows are invisible
 * and have ids from about that time. Call it before reading usage, so that the rows of transactions
 * that ended earlier are visible.
 */
export async function findOldestWriting(tx: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(xact_start) as since from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_xid is not null`.execute(tx)
  return rows[0]?.since ?? undefined
}

/** Returns the time of the first id from `time` on, with one index probe per organization. */
export async function findFirstAfter(tx: Db, time: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    select least(min(u.id::text), min(r.id::text)) as id
    from organizations o
    left join lateral (
      select id from usage_events where org_id = o.id and id >= ${lowestIdAt(time.getTime())}::uuid
      order by id limit 1) u on true
    left join lateral (
      select id from reviews where org_id = o.id and id >= ${lowestIdAt(time.getTime())}::uuid
      order by id limit 1) r on true`.execute(tx)
  const id = rows[0]?.id
  return id === null || id === undefined ? undefined : timeOfId(id)
}

/** Adds the rows with ids in the window to their slots. */
export async function foldWindow(tx: Db, from: Date, until: Date): Promise<void> {
  const isWithin = (column: string) => sql`${sql.ref(column)} >= ${lowestIdAt(from.getTime())}::uuid
    and ${sql.ref(column)} < ${lowestIdAt(until.getTime())}::uuid`
  await sql`
    with folded as materialized (
      select o.id as org_id, f.mode, f.slot_at, f.meter, f.quantity, f.cost_units
      from organizations o cross join lateral (
        select u.mode, date_trunc('hour', u.occurred_at, 'UTC') as slot_at, u.meter,
          sum(u.quantity)::bigint as quantity, sum(u.cost_units)::bigint as cost_units
        from usage_events u where u.org_id = o.id and ${isWithin('u.id')}
        group by 1, 2, 3
        union all
        select r.mode, date_trunc('hour', r.created_at, 'UTC'), ${sql.lit(FLAGGED_METER)}, count(*), 0
        from reviews r where r.org_id = o.id and ${isWithin('r.id')} and r.subject = 'order'
        group by 1, 2
      ) f
    )
    insert into usage_slots (org_id, mode, slot_at, meter, quantity, cost_units)
    select * from folded
    on conflict (org_id, mode, slot_at, meter) do update set
      quantity = usage_slots.quantity + excluded.quantity,
      cost_units = usage_slots.cost_units + excluded.cost_units`.execute(tx)
  await foldKeys(tx, isWithin('u.id'))
}

export async function moveFold(tx: Db, until: Date): Promise<void> {
  await tx.updateTable('usage_fold').set({ folded_until: until }).execute()
}

export type VolumeRow = { step: number; meter: string; quantity: number; cost_units: number }

export type VolumeRange = {
  from: Date
  to: Date
  step_seconds: number
  /** Maximum number of unfolded rows to read, of usage and of reviews each. */
  tail_max: number
}

/**
 * Reads slots and unfolded rows in one statement: in one snapshot, each row is in exactly one of them.
 * @returns `tail_until`: the time of the last row read, when `tail_max` cut the unfolded rows
 */
export async function readVolume(
  db: Database,
  orgId: string,
  mode: Mode,
  { from, to, step_seconds, tail_max }: VolumeRange,
): Promise<{ rows: VolumeRow[]; tail_until: Date | undefined }> {
  const tailFrom = unfoldedFrom()
  const isInRange = (column: string) =>
    sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`
  const step = (column: string) => sql`floor(
    extract(epoch from ${sql.ref(column)} - ${from}::timestamptz) / ${sql.lit(step_seconds)})::integer`
  type Found = VolumeRow & { tail_until: string | null }
  const { rows } = await sql<Found>`
    with usage_tail as materialized (
      select id, mode, occurred_at as at, meter, quantity, cost_units from usage_events
      where org_id = ${orgId} and id >= ${tailFrom} order by id limit ${sql.lit(tail_max)}
    ), review_tail as materialized (
      select id, mode, created_at as at, subject from reviews
      where org_id = ${orgId} and id >= ${tailFrom} order by id limit ${sql.lit(tail_max)}
    ), found as (
      select ${step('slot_at')} as step, meter, quantity, cost_units from usage_slots
      where org_id = ${orgId} and mode = ${mode} and ${isInRange('slot_at')}
      union all
      select ${step('at')}, meter, quantity, cost_units from usage_tail
      where mode = ${mode} and ${isInRange('at')}
      union all
      select ${step('at')}, ${sql.lit(FLAGGED_METER)}, 1, 0 from review_tail
      where mode = ${mode} and subject = 'order' and ${isInRange('at')}
    ), cut as (
      select min(last) as tail_until from (
        select max(id::text) as last, count(*) as rows from usage_tail
        union all select max(id::text), count(*) from review_tail
      ) t where rows >= ${sql.lit(tail_max)}
    )
    select coalesce(f.step, -1) as step, coalesce(f.meter, '') as meter,
      coalesce(f.quantity, 0)::bigint as quantity, coalesce(f.cost_units, 0)::bigint as cost_units,
      cut.tail_until
    from cut left join (
      select step, meter, sum(quantity) as quantity, sum(cost_units) as cost_units
      from found group by step, meter
    ) f on true`.execute(db)
  const tailUntil = rows[0]?.tail_until
  return {
    rows: rows.filter(({ step: number }) => number >= 0),
    tail_until: tailUntil ? timeOfId(tailUntil) : undefined,
  }
}
