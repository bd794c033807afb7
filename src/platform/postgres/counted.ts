import { type RawBuilder, sql } from 'kysely'

/**
 * Begins a statement that inserts a row only if few rows exist: `insert … select … from counted where total < …`. A
 * condition with a subquery would do the same, but Citus sends such an insert with an incomplete condition (decision 61).
 *
 * @param rows table and condition, as after `from`
 */
export const counted = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`with counted as materialized (select count(*) as total from ${rows})`
