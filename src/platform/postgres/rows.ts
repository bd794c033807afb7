/**
 * Writes rows of several tables in one statement. Each row names its writer, and the statement has
 * one `with` item per writer, so that all rows cost a single round trip.
 */
import { type RawBuilder, sql } from 'kysely'

/** Writes rows of one kind as SQL that becomes part of a larger statement. */
export type Writer<R> = {
  /** Usually the name of the table. The `with` item has a prefix, because another writer may read the table. */
  name: string
  write(rows: readonly R[]): RawBuilder<unknown>
}

export type Row = { writer: Writer<unknown>; row: unknown }

export const rowFor = <R>(writer: Writer<R>, row: R): Row => ({ writer, row })

export const insertsOf = (rows: readonly Row[]): RawBuilder<unknown>[] =>
  [...byWriter(rows)].map(
    ([{ name, write }, group]) => sql`${sql.id(`write_${name}`)} as (${write(group)})`,
  )

/** The order depends only on the writers, so that there are few different statements. */
function byWriter(rows: readonly Row[]): Map<Writer<unknown>, unknown[]> {
  const grouped = new Map<Writer<unknown>, unknown[]>()
  for (const { writer, row } of rows) {
    const group = grouped.get(writer)
    if (group) group.push(row)
    else grouped.set(writer, [row])
  }
  return new Map([...grouped].toSorted(([a], [b]) => (a.name < b.name ? -1 : 1)))
}
