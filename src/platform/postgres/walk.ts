/**
 * Walks rows from the newest back by their ids, which are UUIDs of version 7: a time is a bound, and
 * the last id that was seen a cursor. What no index serves is compared row by row, for a bounded
 * number of rows per page, so that a page costs the same however long the history is.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from './db.ts'

/** Rows that one page looks at. */
export const EXAMINED_MAX = 5000

export type Walk = {
  /** Both included; undefined does not bound. */
  from_ms?: number | undefined
  until_ms?: number | undefined
  /** Id of the last row that was seen. */
  after?: string | undefined
  limit: number
}

export type Walked<Row> = {
  rows: Row[]
  /** Undefined at the end of the history. */
  next: string | undefined
  /** Set when rows were passed over until the page was given up: how far back it looked. */
  examined_until: Date | undefined
}

export type WalkQuery = {
  table: 'checks' | 'orders' | 'webhook_deliveries' | 'push_messages'
  /** What an index serves, about `t`. */
  within: RawBuilder<unknown>
  /** Columns of `t` that are needed, besides `id`. */
  columns: readonly string[]
  /** What is compared row by row, about `e`. */
  where: RawBuilder<unknown>
  /** What is shown, about `e`. */
  shown: RawBuilder<unknown>
}

export async function walkBack<Row extends { id: string }>(
  db: Database,
  query: WalkQuery,
  walk: Walk,
): Promise<Walked<Row>> {
  // One snapshot: how far back it looked is counted from the newest row.
  const once = db.transaction().setIsolationLevel('repeatable read')
  return await once.execute(async (tx) => await walkWithin<Row>(tx, query, walk))
}

/** @param tx a transaction that sorts nothing and ends with it */
export async function walkWithin<Row extends { id: string }>(
  tx: Db,
  { table, within, columns, where, shown }: WalkQuery,
  walk: Walk,
): Promise<Walked<Row>> {
  // A plan that is made for an organisation of average size would sort all rows of a large one.
  await sql`select set_config('enable_sort', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`.execute(tx)
  const examined = sql`from ${sql.table(table)} t where ${within} and ${boundsOf(walk)}
    order by t.id desc`
  const kept = sql.join(['id', ...columns].map((column) => sql.ref(`t.${column}`)))
  const { rows: found } = await sql<Row>`
    select ${shown} from (select ${kept} ${examined} limit ${sql.lit(EXAMINED_MAX)}) e
    where ${where} order by e.id desc limit ${walk.limit + 1}`.execute(tx)
  const rows = found.slice(0, walk.limit)
  if (found.length > walk.limit) {
    return { rows, next: rows.at(-1)?.id, examined_until: undefined }
  }
  const { rows: lasts } = await sql<{ id: string; created_at: Date }>`
    select t.id, t.created_at ${examined} offset ${sql.lit(EXAMINED_MAX - 1)} limit 1`.execute(tx)
  const [last] = lasts
  return { rows, next: last?.id, examined_until: last?.created_at }
}

function boundsOf({ from_ms, until_ms, after }: Walk): RawBuilder<unknown> {
  const bounds = [sql`true`]
  if (from_ms !== undefined) bounds.push(sql`t.id >= ${firstIdOf(from_ms)}::uuid`)
  if (until_ms !== undefined) bounds.push(sql`t.id < ${firstIdOf(until_ms + 1)}::uuid`)
  if (after !== undefined) bounds.push(sql`t.id < ${after}::uuid`)
  return sql.join(bounds, sql` and `)
}

/** The least id that can have been made in a millisecond; those before 1970 and after 10889 are bounds. */
export function firstIdOf(ms: number): string {
  const time = Math.min(Math.max(0, Math.floor(ms)), 2 ** 48 - 1)
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
