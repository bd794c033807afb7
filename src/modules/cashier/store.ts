/** SQL of cashier actions, which are stored as sent together with their score. */

import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import {
  jsonArray,
  numberArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Reader } from '../../platform/states/index.ts'
import type { Adjustment, ListMatch } from '../risk/index.ts'
import type { CashierFraud, CashierRequest } from './schema.ts'
import type { MatchedOrder } from './scoring/facts.ts'
import type { StoredActionFacts } from './scoring/rule-facts.ts'
import type { ScoredAction } from './scoring/scoring.ts'
import type { CashierTables } from './tables.ts'

/** Inputs of the score in addition to request and states, stored so that it can be repeated. */
export type ActionContext = {
  location: string
  local_hour: number
  /** Absent when no order was named, null when it is unknown. */
  order?: MatchedOrder | null
  /** Absent without a match. */
  lists?: readonly ListMatch[]
}

/** `cashier_id` is the id of the state of the cashier. */
export type ActionRow = Pick<
  CashierTables['cashier_actions'],
  'org_id' | 'id' | 'mode' | 'cashier_id' | 'performed_at' | 'created_at'
> & {
  /** Undefined for an action without performed_at. */
  action_hash: string | undefined
  request: CashierRequest
  fraud: CashierFraud
  measurements: {
    context: ActionContext
    signals: ScoredAction['measurements']
    /** Absent when nothing changed the score. */
    adjustments?: readonly Adjustment[]
    /** Those signals that were changed, as they were before. */
    before?: Partial<ScoredAction['measurements']>
    /** What rules in shadow would have changed. */
    shadows?: readonly Adjustment[]
    /** Version of the rules, if some of them apply to cashier actions. */
    rules_version?: number
    facts?: StoredActionFacts
  }
}

/** The columns that answer a retry. */
export type StoredAction = Pick<ActionRow, 'id' | 'request' | 'fraud' | 'performed_at'>

/** Placeholders for nulls, which binary arrays cannot contain. */
const NO_HASH = '00000000-0000-0000-0000-000000000000'
const NO_ORDER = ''
const NO_AMOUNT = -1

/** Some tills report refunds and voids below zero; what they score and add up to is the same. */
export const amountOf = ({ amount_cents }: CashierRequest): number | undefined =>
  amount_cents === undefined ? undefined : Math.abs(amount_cents)

export const actionWriter: Writer<ActionRow> = { name: 'cashier_actions', write: insertActions }

function insertActions(rows: readonly ActionRow[]): RawBuilder<unknown> {
  return sql`
    insert into cashier_actions (org_id, id, mode, cashier_id, action_hash, order_external_id,
      action_type, amount_cents, risk_score, request, fraud, measurements, performed_at, created_at)
    select org_id, id, mode, cashier_id, nullif(action_hash, ${sql.lit(NO_HASH)}::uuid),
      nullif(order_external_id, ${sql.lit(NO_ORDER)}), action_type,
      nullif(amount_cents, ${sql.lit(NO_AMOUNT)}), risk_score, request, fraud, measurements,
      performed_at, created_at
    from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ mode }) => mode))}::text[],
      ${uuidArray(rows.map(({ cashier_id }) => cashier_id))}::uuid[],
      ${uuidArray(rows.map(({ action_hash }) => action_hash ?? NO_HASH))}::uuid[],
      ${textArray(rows.map(({ request }) => request.order_external_id ?? NO_ORDER))}::text[],
      ${textArray(rows.map(({ request }) => request.action_type))}::text[],
      ${numberArray(rows.map(({ request }) => amountOf(request) ?? NO_AMOUNT))}::float8[],
      ${numberArray(rows.map(({ fraud }) => fraud.risk_score))}::float8[],
      ${jsonArray(rows.map(({ request }) => JSON.stringify(request)))}::json[],
      ${jsonArray(rows.map(({ fraud }) => JSON.stringify(fraud)))}::json[],
      ${jsonArray(rows.map(({ measurements }) => JSON.stringify(measurements)))}::json[],
      ${timeArray(rows.map(({ performed_at }) => performed_at))}::timestamptz[],
      ${timeArray(rows.map(({ created_at }) => created_at))}::timestamptz[]
    ) as a (org_id, id, mode, cashier_id, action_hash, order_external_id, action_type, amount_cents,
      risk_score, request, fraud, measurements, performed_at, created_at)`
}

export type ActionHash = { org_id: string; mode: Mode; action_hash: string }

/** Reads stored actions that are identical (OP-52). */
export const storedActionReader: Reader<ActionHash, StoredAction | undefined> = {
  name: 'stored cashier actions',
  read: async (db, hashes) => {
    const { rows } = await sql<StoredAction & { index: number }>`
      select h.index::integer as index, a.id, a.request, a.fraud, a.performed_at
      from unnest(
        ${uuidArray(hashes.map(({ org_id }) => org_id))}::uuid[],
        ${textArray(hashes.map(({ mode }) => mode))}::text[],
        ${uuidArray(hashes.map(({ action_hash }) => action_hash))}::uuid[]
      ) with ordinality as h (org_id, mode, action_hash, index)
      join cashier_actions a on a.org_id = h.org_id and a.mode = h.mode
        and a.action_hash = h.action_hash`.execute(db)
    const found: (StoredAction | undefined)[] = hashes.map(() => undefined)
    for (const { index, ...action } of rows) found[index - 1] = action
    return found
  },
}

export type OrderName = { org_id: string; mode: Mode; external_order_id: string }

/** No real order has more actions. */
const ACTIONS_OF_ORDER_MAX = 1000

/** Reads the sum of earlier refunds of orders, in minor units. */
export const refundedReader: Reader<OrderName, number> = {
  name: 'refunded amounts',
  read: async (db, orders) => {
    const { rows } = await sql<{ index: number; refunded_cents: number }>`
      select o.index::integer as index, sum(a.amount_cents)::float8 as refunded_cents
      from unnest(
        ${uuidArray(orders.map(({ org_id }) => org_id))}::uuid[],
        ${textArray(orders.map(({ mode }) => mode))}::text[],
        ${textArray(orders.map(({ external_order_id }) => external_order_id))}::text[]
      ) with ordinality as o (org_id, mode, order_external_id, index)
      -- Bounded, because some tills send the same order id with every action.
      cross join lateral (
        select a.action_type, a.amount_cents from cashier_actions a
        where a.org_id = o.org_id and a.mode = o.mode
          and a.order_external_id = o.order_external_id
        limit ${sql.lit(ACTIONS_OF_ORDER_MAX)}) a
      where a.action_type = 'refund' and a.amount_cents is not null
      group by o.index`.execute(db)
    const sums = orders.map(() => 0)
    for (const { index, refunded_cents } of rows) sums[index - 1] = refunded_cents
    return sums
  },
}

export async function findAction(
  db: Db,
  orgId: string,
  id: string,
): Promise<StoredAction | undefined> {
  const row = await db
    .selectFrom('cashier_actions')
    .select(['id', 'request', 'fraud', 'performed_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row as StoredAction | undefined
}

export type WholeAction = StoredAction &
  Pick<ActionRow, 'org_id' | 'mode' | 'cashier_id' | 'measurements' | 'created_at'>

/** Without an organization, as the operator may search, each one is probed by index. */
export async function findWholeActions(
  db: Db,
  id: string,
  { org_id, mode }: { org_id?: string | undefined; mode?: Mode | undefined },
): Promise<WholeAction[]> {
  const ofOrg = org_id === undefined ? sql`` : sql`and g.id = ${org_id}`
  const ofMode = mode === undefined ? sql`` : sql`and a.mode = ${mode}`
  const { rows } = await sql<WholeAction>`
    select a.org_id, a.id, a.mode, a.cashier_id, a.request, a.fraud, a.measurements, a.performed_at,
      a.created_at
    from organizations g join cashier_actions a on a.org_id = g.id and a.id = ${id}
    where true ${ofOrg} ${ofMode}`.execute(db)
  return rows
}

/** Deletes expired actions, a bounded number at a time. @returns the number deleted */
export async function sweepActions(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from cashier_actions where ctid = any(array(
      select ctid from cashier_actions where created_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
