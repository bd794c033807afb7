/** SQL for monthly usage, on which prices per month are based. */
import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '../../platform/owner.ts'
import { numberArray, textArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { monthOf } from './month.ts'
import type { BillingTables } from './tables.ts'

export type MonthKey = Omit<BillingTables['usage_months'], 'quantity' | 'cost_units'>

/**
 * Adds to months and returns their new quantities. The rows stay locked until the end of the
 * transaction, so each transaction knows exactly which entries of the month it added and can price
 * them.
 * @param additions a query for `org_id, mode, meter, month, quantity`, with each month once
 */
export const advanceMonths = (additions: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into usage_months as m (org_id, mode, meter, month, quantity, cost_units)
  select org_id, mode, meter, month, quantity, 0 from (${additions}) a
  order by org_id, mode, meter, month
  on conflict (org_id, mode, meter, month) do update set quantity = m.quantity + excluded.quantity
  returning org_id, mode, meter, month, quantity`

/** Adds the costs of new usage. Requires the row locks of `advanceMonths`. */
export function addMonthCosts(
  costs: readonly (MonthKey & { cost_units: number })[],
): RawBuilder<unknown> {
  return sql`
    update usage_months m set cost_units = m.cost_units + c.cost_units
    from unnest(
      ${uuidArray(costs.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(costs.map(({ mode }) => mode))}::text[],
      ${textArray(costs.map(({ meter }) => meter))}::text[],
      ${textArray(costs.map(({ month }) => month))}::text[],
      ${numberArray(costs.map(({ mode, cost_units }) => (mode === 'test' ? 0 : cost_units)))}::float8[]
    ) as c (org_id, mode, meter, month, cost_units)
    where m.org_id = c.org_id and m.mode = c.mode and m.meter = c.meter and m.month = c.month::date`
}

/** @param key.month any time in the month */
export async function findMonth(
  db: Db,
  orgId: string,
  key: { mode: Mode; meter: string; month: Date },
): Promise<{ quantity: number; cost_units: number }> {
  const { rows } = await sql<{ quantity: number; cost_units: number }>`
    select quantity, cost_units from usage_months
    where org_id = ${orgId} and mode = ${key.mode} and meter = ${key.meter}
      and month = ${monthOf(key.month)}::date`.execute(db)
  return rows[0] ?? { quantity: 0, cost_units: 0 }
}
