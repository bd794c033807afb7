/**
 * Reads pages of rows by their ids, which are UUIDs of version 7, by default newest first. Conditions without
 * an index are checked for a bounded number of rows, so that no page gets slower as history grows.
 */

import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from '../ids.ts'
import type { Database, Db } from './db.ts'

/** Maximum number of rows that one page examines. */
export const EXAMINED_MAX = 5000

export type HistoryBounds = {
  /** Inclusive bounds; undefined is no bound. */
  from_ms?: number | undefined
  until_ms?: number | undefined
  /** Id of the last row of the previous page. */
  after?: string | undefined
  limit: number
  /** By default, the newest rows come first. */
  sort?: 'newest' | 'oldest' | undefined
}

export type HistoryPage<Row> = {
  rows: Row[]
  /** Cursor of the next page; undefined at the end of the history. */
  next: string | undefined
  /** Time of the last row examined, if the page ended because it had examined its maximum. */
  examined_until: Date | undefined
}

export type HistoryQuery = {
  table: 'checks' | 'orders' | 'webhook_deliveries' | 'push_messages'
  /** Conditions on `t` that an index serves. */
  within: RawBuilder<unknown>
  /** Columns of `t` that are needed in addition to `id`. */
  columns: readonly string[]
  /** Conditions on `e` that are checked row by row. */
  where: RawBuilder<unknown>
  /** Columns of `e` to select. */
  shown: RawBuilder<unknown>
}

export async function readHistoryPage<Row extends { id: string }>(
  db: Database,
  query: HistoryQuery,
  bounds: HistoryBounds,
): Promise<HistoryPage<Row>> {
  // Both statements count rows from the newest one, so they need the same snapshot.
  const snapshot = db.transaction().setIsolationLevel('repeatable read')
  return await snapshot.execute(async (tx) => await readHistoryPageWithin<Row>(tx, query, bounds))
}

/** @param tx a transaction for this read alone, because sorting is switched off in it */
export async function readHistoryPageWithin<Row extends { id: string }>(
  tx: Db,
  { table, within, columns, where, shown }: HistoryQuery,
  bounds: HistoryBounds,
): Promise<HistoryPage<Row>> {
  // A plan for an organization of average size would sort all rows of a large one.
  await sql`select set_config('enable_sort', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`.execute(tx)
  const direction = bounds.sort === 'oldest' ? sql`asc` : sql`desc`
  const examined = sql`from ${sql.table(table)} t where ${within} and ${boundsOf(bounds)}
    order by t.id ${direction}`
  const selected = sql.join(['id', ...columns].map((column) => sql.ref(`t.${column}`)))
  const { rows: found } = await sql<Row>`
    select ${shown} from (select ${selected} ${examined} limit ${sql.lit(EXAMINED_MAX)}) e
    where ${where} order by e.id ${direction} limit ${bounds.limit + 1}`.execute(tx)
  const rows = found.slice(0, bounds.limit)
  if (found.length > bounds.limit) {
    return { rows, next: rows.at(-1)?.id, examined_until: undefined }
  }
  const { rows: lasts } = await sql<{ id: string; created_at: Date }>`
    select t.id, t.created_at ${examined} offset ${sql.lit(EXAMINED_MAX - 1)} limit 1`.execute(tx)
  const [last] = lasts
  return { rows, next: last?.id, examined_until: last?.created_at }
}

function boundsOf({ from_ms, until_ms, after, sort }: HistoryBounds): RawBuilder<unknown> {
  const bounds = [sql`true`]
  if (from_ms !== undefined) bounds.push(sql`t.id >= ${lowestIdAt(from_ms)}::uuid`)
  if (until_ms !== undefined) bounds.push(sql`t.id < ${lowestIdAt(until_ms + 1)}::uuid`)
  if (after !== undefined) {
    bounds.push(sort === 'oldest' ? sql`t.id > ${after}::uuid` : sql`t.id < ${after}::uuid`)
  }
  return sql.join(bounds, sql` and `)
}
