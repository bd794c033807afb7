/**
 * What statistics need of the order of a decision. The statement that writes a decision stores it, because reading it
 * parses the whole order. Orders do not change. Decisions of the previous version have none (`rules` is null), so theirs
 * is read from the orders.
 */
import { type RawBuilder, sql } from 'kysely'

const rulesIn = (list: 'adjustments' | 'shadows') => sql`array(
  select distinct a ->> 'rule' from json_array_elements(o.assessment -> ${sql.lit(list)}) a where a ->> 'by' = 'rule')`

const AMOUNT_CENTS = sql`(o.request ->> 'amount_cents')::float8`
const CURRENCY = sql`upper(coalesce(o.request ->> 'currency', 'USD'))`

const isOrderOf = (decision: string) => sql`${sql.ref(`${decision}.subject`)} = 'order'
  and o.org_id = ${sql.ref(`${decision}.org_id`)} and o.id = ${sql.ref(`${decision}.subject_id`)}`

/** A join and the columns to store, all null if the decision is about a cashier action or its order was deleted. */
export const factsToStore = (decision: string) => ({
  columns: sql`${AMOUNT_CENTS}, case when o.id is not null then ${CURRENCY} end,
    case when o.id is not null then ${rulesIn('adjustments')} end,
    case when o.id is not null then ${rulesIn('shadows')} end`,
  join: sql`left join orders o on ${isOrderOf(decision)}`,
})

/** No row if the facts are stored, the decision is about a cashier action, or its order was deleted. */
const factsOfOrder = (decision: string): RawBuilder<unknown> => sql`
  select ${AMOUNT_CENTS} as amount_cents, ${CURRENCY} as currency,
    ${rulesIn('adjustments')} as rules, ${rulesIn('shadows')} as shadow_rules
  from orders o where ${sql.ref(`${decision}.rules`)} is null and ${isOrderOf(decision)} limit 1`

/** One row for each decision. */
export function factsOfDecision(decision: string): RawBuilder<unknown> {
  const stored = (column: string) => sql.ref(`${decision}.${column}`)
  return sql`
    select coalesce(${stored('amount_cents')}, f.amount_cents) as amount_cents,
      coalesce(${stored('currency')}, f.currency, 'USD') as currency,
      coalesce(${stored('rules')}, f.rules, '{}') as rules,
      coalesce(${stored('shadow_rules')}, f.shadow_rules, '{}') as shadow_rules
    from (select) one
    left join lateral (${factsOfOrder(decision)}) f on true`
}
