/** SQL for usage by API key: folded into hourly slots with that of all keys, and read by day. */
import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../platform/owner.ts'
import { timeArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'

/** Adds usage of keys to their slots. @param isWithin the condition on ids of usage */
export async function foldKeys(tx: Db, isWithin: RawBuilder<unknown>): Promise<void> {
  await sql`
    with folded as materialized (
      select o.id as org_id, f.mode, f.slot_at, f.key_id, f.meter, f.quantity, f.cost_units
      from organizations o cross join lateral (
        select u.mode, date_trunc('hour', u.occurred_at, 'UTC') as slot_at, u.key_id, u.meter,
          sum(u.quantity)::bigint as quantity, sum(u.cost_units)::bigint as cost_units
        from usage_events u
        where u.org_id = o.id and ${isWithin} and u.key_id is not null
        group by 1, 2, 3, 4
      ) f
    )
    insert into usage_key_slots (org_id, mode, slot_at, key_id, meter, quantity, cost_units)
    select * from folded
    on conflict (org_id, mode, slot_at, key_id, meter) do update set
      quantity = usage_key_slots.quantity + excluded.quantity,
      cost_units = usage_key_slots.cost_units + excluded.cost_units`.execute(tx)
}

/** Usage of a key on a day, which is an index of the days of the query. */
export type KeyRow = {
  key_id: string
  day: number
  meter: string
  quantity: number
  cost_units: number
}

type Days = Owner & {
  /** The beginnings of the days, and the end of the last one. */
  bounds: readonly Date[]
  /** Maximum number of unfolded rows to read. */
  tail_max: number
}

/** Reads slots and unfolded rows in one statement, so each row is in exactly one of them. */
export async function readKeyDays(
  db: Database,
  { org_id, mode, bounds, tail_max }: Days,
): Promise<KeyRow[]> {
  const days = sql`${timeArray(bounds)}::timestamptz[]`
  const isInDays = (column: string) =>
    sql`${sql.ref(column)} >= ${bounds[0]} and ${sql.ref(column)} < ${bounds.at(-1)}`
  const { rows } = await sql<KeyRow>`
    with tail as materialized (
      select mode, date_trunc('hour', occurred_at, 'UTC') as slot_at, key_id, meter, quantity, cost_units
      from usage_events
      where org_id = ${org_id} and id >= ${unfoldedFrom()} order by id limit ${sql.lit(tail_max)}
    )
    select key_id, width_bucket(slot_at, ${days}) - 1 as day, meter,
      sum(quantity)::bigint as quantity, sum(cost_units)::bigint as cost_units
    from (
      select slot_at, key_id, meter, quantity, cost_units from usage_key_slots
      where org_id = ${org_id} and mode = ${mode} and ${isInDays('slot_at')}
      union all
      select slot_at, key_id, meter, quantity, cost_units from tail
      where mode = ${mode} and key_id is not null and ${isInDays('slot_at')}
    ) found
    group by 1, 2, 3 order by 2, 1, 3`.execute(db)
  return rows
}

/** The first id that is not folded: 48 bits of milliseconds lead a UUID of version 7. */
export const unfoldedFrom = () => sql`(select (lpad(to_hex((extract(epoch from
    coalesce(max(folded_until), 'epoch'::timestamptz)) * 1000)::bigint), 12, '0')
    || repeat('0', 20))::uuid from usage_fold)`
