/**
 * SQL that reads actions. Every query examines a bounded number of rows: the newest of an
 * organization by the primary key, or those of a cashier by a separate index.
 */
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CashierActionItem, CashierActionType, CashierQuarter } from './schema.ts'

/** Covers tills whose clocks are ahead of the service's clock. */
const SLACK_MS = 600_000

export type ActionSummary = Omit<
  CashierActionItem,
  'risk_level' | 'performed_at' | 'received_at'
> & { performed_at: Date; created_at: Date }

const SUMMARY = sql`a.id, a.cashier_id, a.request->>'cashier_external_id' as cashier_external_id,
  a.action_type, a.amount_cents::float8 as amount_cents,
  a.request->>'edge_device_id' as edge_device_id, a.order_external_id,
  coalesce(a.measurements->'context'->>'location', '') as location, a.risk_score,
  a.fraud->'flags' as flags, a.performed_at, a.created_at`

export type ActionFilter = {
  cashier_id?: string | undefined
  location?: string | undefined
  action_type?: CashierActionType | undefined
  order_external_id?: string | undefined
  score_min?: number | undefined
  is_flagged?: boolean | undefined
  start?: Date | undefined
  end?: Date | undefined
}

/**
 * Lists actions in the order of receipt, newest first.
 * @param page `after`: id of an action; only earlier ones are listed
 * @returns `last_id`: id of the last row that was examined, undefined when there are no more
 */
export async function listActions(
  db: Db,
  owner: Owner,
  filter: ActionFilter,
  page: { after?: string | undefined; limit: number; examined_max: number },
): Promise<{ actions: ActionSummary[]; last_id: string | undefined }> {
  const { limit, examined_max } = page
  const range = sql`
    from cashier_actions c where c.org_id = ${owner.org_id}
      ${filter.cashier_id === undefined ? sql`` : sql`and c.cashier_id = ${filter.cashier_id}`}
      ${filter.start === undefined ? sql`` : sql`and c.id >= ${lowestIdAt(filter.start.getTime() - SLACK_MS)}`}
      ${page.after === undefined ? sql`` : sql`and c.id < ${page.after}`}
    order by c.id desc`
  const { rows } = await sql<ActionSummary>`
    select ${SUMMARY} from (select c.* ${range} limit ${examined_max}) a
    where a.mode = ${owner.mode} ${conditionsOf(filter)}
    order by a.id desc limit ${limit}`.execute(db)
  if (rows.length === limit) return { actions: rows, last_id: rows.at(-1)?.id }
  const { rows: last } = await sql<{ id: string }>`
    select c.id ${range} offset ${examined_max - 1} limit 1`.execute(db)
  return { actions: rows, last_id: last[0]?.id }
}

function conditionsOf(filter: ActionFilter): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = []
  const { action_type, order_external_id, score_min, start, end, location } = filter
  if (action_type !== undefined) conditions.push(sql`and a.action_type = ${action_type}`)
  if (order_external_id !== undefined) {
    conditions.push(sql`and a.order_external_id = ${order_external_id}`)
  }
  if (score_min !== undefined) conditions.push(sql`and a.risk_score >= ${score_min}`)
  if (start !== undefined) conditions.push(sql`and a.performed_at >= ${start}`)
  if (end !== undefined) conditions.push(sql`and a.performed_at <= ${end}`)
  if (filter.is_flagged === true) conditions.push(sql`and json_array_length(a.fraud->'flags') > 0`)
  if (location !== undefined) {
    conditions.push(sql`and a.measurements->'context'->>'location' = ${location}`)
  }
  return sql.join(conditions, sql` `)
}

/**
 * Lists the actions of a cashier in a time range, oldest first. Rows are examined in the order of
 * receipt; late actions are found if they are among the next `examined_max` rows.
 */
export async function listActionsBetween(
  db: Db,
  { org_id, mode, cashier_id }: Owner & { cashier_id: string },
  { start, end, only }: { start: Date; end: Date; only?: readonly CashierActionType[] },
  { limit, examined_max }: { limit: number; examined_max: number },
): Promise<ActionSummary[]> {
  const { rows } = await sql<ActionSummary>`
    select ${SUMMARY} from (
      select c.* from cashier_actions c where c.org_id = ${org_id}
        and c.cashier_id = ${cashier_id} and c.id >= ${lowestIdAt(start.getTime() - SLACK_MS)}
      order by c.id limit ${examined_max}) a
    where a.mode = ${mode} and a.performed_at between ${start} and ${end}
      ${only === undefined ? sql`` : sql`and a.action_type = any(${[...only]}::text[])`}
    order by a.performed_at, a.id limit ${limit}`.execute(db)
  return rows
}

export async function findCashier(
  db: Db,
  { org_id, mode, cashier_id }: Owner & { cashier_id: string },
): Promise<{ cashier_external_id: string; location: string } | undefined> {
  const { rows } = await sql<{ cashier_external_id: string; location: string }>`
    select a.request->>'cashier_external_id' as cashier_external_id,
      coalesce(a.measurements->'context'->>'location', '') as location
    from cashier_actions a
    where a.org_id = ${org_id} and a.cashier_id = ${cashier_id} and a.mode = ${mode}
    order by a.id desc limit 1`.execute(db)
  return rows[0]
}

export type QuarterRow = Omit<CashierQuarter, 'at'> & { at_ms: number }

/** Counts by quarter of an hour, from which the days of any time zone can be composed. */
export async function countQuarters(
  db: Db,
  { org_id, mode, cashier_id }: Owner & { cashier_id: string },
  since: Date,
  examinedMax: number,
): Promise<{ quarters: QuarterRow[]; examined: number }> {
  const { rows } = await sql<QuarterRow & { examined: number }>`
    with scanned as materialized (
      select mode, performed_at, risk_score, json_array_length(fraud->'flags') as flags
      from cashier_actions
      where org_id = ${org_id} and cashier_id = ${cashier_id}
        and id >= ${lowestIdAt(since.getTime() - SLACK_MS)}
      order by id desc limit ${examinedMax})
    select extract(epoch from date_bin('15 minutes', performed_at, 'epoch'))::float8 * 1000 as at_ms,
      count(*)::integer as actions, (count(*) filter (where flags > 0))::integer as flagged,
      max(risk_score)::integer as highest_score,
      (select count(*)::integer from scanned) as examined
    from scanned where mode = ${mode} and performed_at >= ${since}
    group by 1 order by 1`.execute(db)
  return {
    quarters: rows.map(({ examined: _examined, ...quarter }) => quarter),
    examined: rows[0]?.examined ?? 0,
  }
}
