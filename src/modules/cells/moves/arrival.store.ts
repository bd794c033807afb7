/** Puts the copied rows of an organization into the tables of the target, in one transaction. */

import type { Client } from 'pg'
import { lowestIdAt } from '../../../platform/ids.ts'
import { quoted, setForCopy } from '../../../platform/postgres/dump.ts'
import { findFence, insertFence } from './fence.store.ts'
import { listOf, readMovedTables } from './shape.store.ts'
import { STAGING } from './staging.store.ts'

/** Triggers of the tables do nothing about rows that are moved. */
export const AS_MOVE = `set vigil.moves_organization = 'on'`

export type Arrival = { commit(): Promise<void>; undo(): Promise<void> }

/** Batches that the source is inserting into the analytics engine are completed there. */
const CONDITIONS: Readonly<Record<string, string>> = { analytics_spool: 'where flush_id is null' }

/**
 * @param folded_until of the source, which no longer changes for this organization
 * @returns a transaction that the caller ends; undefined if the rows have arrived
 */
export async function insertArrival(
  target: Client,
  { org_id, name, folded_until }: { org_id: string; name: string; folded_until: Date | undefined },
): Promise<Arrival | undefined> {
  if ((await findFence(target, org_id)) === 'arrived') return undefined
  const undo = async () => {
    await target.query('rollback').catch(() => undefined)
  }
  try {
    await target.query('begin')
    await setForCopy(target)
    await target.query(AS_MOVE.replace('set', 'set local'))
    await insertFence(target, org_id, 'arrived')
    // Only the id of a copy is read.
    await target.query(
      `insert into organizations (id, name, plan) values ($1, $2, 'free') on conflict do nothing`,
      [org_id, name],
    )
    for (const { name: table, columns } of await readMovedTables(target, STAGING)) {
      const list = listOf(columns)
      await target.query(
        `insert into ${quoted(table)} (${list}) overriding system value
         select ${list} from ${quoted(`${STAGING}${table}`)} ${CONDITIONS[table] ?? ''}`,
      )
    }
    await alignFold(target, org_id, folded_until)
  } catch (error) {
    await undo()
    throw error
  }
  return {
    commit: async () => {
      await target.query('commit')
    },
    undo,
  }
}

/** The time up to which usage is part of the hourly sums. */
export async function findFolded(source: Client): Promise<Date | undefined> {
  const { rows } = await source.query<{ folded_until: Date }>('select folded_until from usage_fold')
  return rows[0]?.folded_until
}

/**
 * Each cell folds usage up to another time. Usage between both times is added to the hourly sums, or taken out
 * of them, so that the fold of the target counts the rest once.
 */
async function alignFold(target: Client, orgId: string, here: Date | undefined): Promise<void> {
  if (here === undefined) return
  // No fold runs until the transaction ends.
  await target.query(`insert into usage_fold (folded_until)
    select case when exists (select from usage_events where org_id <> '${orgId}')
      or exists (select from reviews where org_id <> '${orgId}')
      then 'epoch'::timestamptz else '${here.toISOString()}'::timestamptz end
    on conflict do nothing`)
  const { rows } = await target.query<{ folded_until: Date }>(
    'select folded_until from usage_fold for update',
  )
  const there = rows[0]?.folded_until ?? here
  if (there.getTime() === here.getTime()) return
  const [from, until, sign] = there > here ? [here, there, 1] : [there, here, -1]
  await target.query(
    `with folded as materialized (
       select mode, date_trunc('hour', occurred_at, 'UTC') as slot_at, meter,
         sum(quantity)::bigint as quantity, sum(cost_units)::bigint as cost_units
       from usage_events where org_id = $1 and id >= $2 and id < $3 group by 1, 2, 3
       union all
       select mode, date_trunc('hour', created_at, 'UTC'), 'flagged_order', count(*), 0
       from reviews where org_id = $1 and id >= $2 and id < $3 and subject = 'order'
       group by 1, 2
     )
     insert into usage_slots (org_id, mode, slot_at, meter, quantity, cost_units)
     select $1::uuid, mode, slot_at, meter, $4::bigint * quantity, $4::bigint * cost_units from folded
     on conflict (org_id, mode, slot_at, meter) do update set
       quantity = usage_slots.quantity + excluded.quantity,
       cost_units = usage_slots.cost_units + excluded.cost_units`,
    [orgId, lowestIdAt(from.getTime()), lowestIdAt(until.getTime()), sign],
  )
  await target.query(
    `with folded as materialized (
       select mode, date_trunc('hour', occurred_at, 'UTC') as slot_at, key_id, meter,
         sum(quantity)::bigint as quantity, sum(cost_units)::bigint as cost_units
       from usage_events
       where org_id = $1 and id >= $2 and id < $3 and key_id is not null group by 1, 2, 3, 4
     )
     insert into usage_key_slots (org_id, mode, slot_at, key_id, meter, quantity, cost_units)
     select $1::uuid, mode, slot_at, key_id, meter, $4::bigint * quantity, $4::bigint * cost_units
     from folded
     on conflict (org_id, mode, slot_at, key_id, meter) do update set
       quantity = usage_key_slots.quantity + excluded.quantity,
       cost_units = usage_key_slots.cost_units + excluded.cost_units`,
    [orgId, lowestIdAt(from.getTime()), lowestIdAt(until.getTime()), sign],
  )
  for (const table of ['usage_slots', 'usage_key_slots']) {
    await target.query(
      `delete from ${table} where org_id = $1 and quantity = 0 and cost_units = 0`,
      [orgId],
    )
  }
}
