/** SQL that sums up the recent actions of an organization by location and by cashier. */

import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { RiskLevel } from '../../risk/index.ts'
import type { CashierActionType, CashierStore, PeerRow } from './schema.ts'

/** Selects the newest actions since `since`, of both modes, up to `examined_max`. */
export type PeriodQuery = Owner & { since: Date; examined_max: number }

export type Examined = { examined: number; oldest_ms: number | null }

/**
 * Parsing JSON is most of the work, so it is limited to rows of the mode, and flags to rows with a
 * score; names are read later. Actions performed before the period but sent within it do not count.
 */
const scannedOf = ({ org_id, mode, since, examined_max }: PeriodQuery): RawBuilder<unknown> => sql`
  scanned as materialized (
    select id, cashier_id, action_type, amount_cents, risk_score, performed_at, created_at,
      case when mode = ${mode} and performed_at >= ${since}
        then measurements->'context'->>'location' end as location,
      case when mode = ${mode} and risk_score > 0
        then json_array_length(fraud->'flags') > 0 end as is_flagged
    from (
      select * from cashier_actions
      where org_id = ${org_id} and id >= ${lowestIdAt(since.getTime())}
      order by id desc limit ${examined_max}) c)`

/** Always returns one row, so that the examined range is known even without any result. */
const EXAMINED = sql`(select count(*)::integer from scanned) as examined,
  (select extract(epoch from min(created_at))::float8 * 1000 from scanned) as oldest_ms`

export type StoreRow = Omit<CashierStore, 'last_performed_at'> & { last_ms: number }

export async function listStores(
  db: Db,
  query: PeriodQuery,
  limit: number,
): Promise<Examined & { stores: StoreRow[] }> {
  const { rows } = await sql<Examined & { stores: StoreRow[] }>`
    with ${scannedOf(query)}
    select ${EXAMINED}, coalesce((select json_agg(s) from (
      select location, count(distinct cashier_id)::integer as cashiers, count(*)::integer as actions,
        (count(*) filter (where is_flagged))::integer as flagged,
        max(risk_score)::integer as highest_score,
        extract(epoch from max(performed_at))::float8 * 1000 as last_ms
      from scanned where location is not null
      group by location order by flagged desc, actions desc, location limit ${limit}) s), '[]') as stores
  `.execute(db)
  return rows[0] ?? { examined: 0, oldest_ms: null, stores: [] }
}

export type CashierRow = Record<RiskLevel, number> &
  Omit<
    PeerRow,
    | 'levels'
    | 'per_day'
    | 'shifts'
    | 'shift_hours'
    | 'per_shift'
    | 'per_hour'
    | 'last_performed_at'
    | 'score'
  > & { last_ms: number | null }

export type ShiftRow = {
  cashier_id: string
  action_type: 'shift_start' | 'shift_end'
  at_ms: number
}

/** Lists the cashiers of one location with their actions of one type. */
export async function listCashiers(
  db: Db,
  query: PeriodQuery,
  { location, action_type }: { location: string; action_type: CashierActionType },
  limit: number,
): Promise<Examined & { cashiers: CashierRow[]; shifts: ShiftRow[] }> {
  const isOfType = sql`filter (where action_type = ${action_type})`
  const isLevel = (from: number, to: number) =>
    sql`filter (where action_type = ${action_type} and risk_score between ${sql.lit(from)} and ${sql.lit(to)})`
  const { rows } = await sql<Examined & { cashiers: CashierRow[]; shifts: ShiftRow[] }>`
    with ${scannedOf(query)}, here as materialized (
      select * from scanned where location = ${location})
    select ${EXAMINED}, coalesce((select json_agg(c) from (
      select cashier_id, (
          select a.request->>'cashier_external_id' from cashier_actions a
          where a.org_id = ${query.org_id} and a.cashier_id = here.cashier_id
          order by a.id desc limit 1) as cashier_external_id,
        count(*) ${isOfType} as count,
        count(*) filter (where action_type = ${action_type} and is_flagged) as flagged,
        max(risk_score) ${isOfType} as highest_score,
        count(*) ${isLevel(0, 24)} as low, count(*) ${isLevel(25, 49)} as medium,
        count(*) ${isLevel(50, 69)} as high, count(*) ${isLevel(70, 100)} as critical,
        coalesce(sum(amount_cents) ${isOfType}, 0)::float8 as amount_sum_cents,
        percentile_cont(0.5) within group (order by amount_cents::float8) ${isOfType}
          as amount_median_cents,
        (max(amount_cents) ${isOfType})::float8 as amount_largest_cents,
        count(*) filter (where action_type not in ('shift_start', 'shift_end')) as actions,
        count(distinct date_trunc('day', performed_at at time zone 'UTC')) as active_days,
        extract(epoch from max(performed_at) ${isOfType})::float8 * 1000 as last_ms
      from here group by cashier_id
      order by flagged desc, highest_score desc nulls last, count desc, cashier_id
      limit ${limit}) c), '[]') as cashiers,
    coalesce((select json_agg(s order by s.at_ms, s.action_type) from (
      select cashier_id, action_type, extract(epoch from performed_at)::float8 * 1000 as at_ms
      from here where action_type in ('shift_start', 'shift_end')) s), '[]') as shifts
  `.execute(db)
  return rows[0] ?? { examined: 0, oldest_ms: null, cashiers: [], shifts: [] }
}
