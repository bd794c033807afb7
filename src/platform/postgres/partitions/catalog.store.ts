/** The partitions of tables that are divided by the time in their ids (docs/decisions/0048), from the catalog. */
import { sql } from 'kysely'
import { timeOfId } from '../../ids.ts'
import type { Db } from '../db.ts'

export type Partition = {
  table: string
  /** The column of the ids. */
  key: string
  name: string
  /** Null in the first partition, and in that of rows for which no other exists. */
  from: Date | null
  to: Date | null
  is_default: boolean
}

/** Oldest first, the default partition last. */
export async function listPartitions(db: Db, table?: string): Promise<Partition[]> {
  type Found = Omit<Partition, 'from' | 'to'> & { from: string | null; to: string | null }
  const { rows } = await sql<Found>`
    select p.relname as table, a.attname as key, c.relname as name, b.bound = 'DEFAULT' as is_default,
      substring(b.bound from 'FROM [(]''([0-9a-f-]+)''') as from,
      substring(b.bound from 'TO [(]''([0-9a-f-]+)''') as to
    from pg_partitioned_table t join pg_class p on p.oid = t.partrelid
    join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
    cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
    join pg_attribute a on a.attrelid = p.oid and a.attnum = t.partattrs[0]
      and a.atttypid = 'uuid'::regtype
    where pg_table_is_visible(p.oid) and t.partstrat = 'r' and t.partnatts = 1
      ${table === undefined ? sql`` : sql`and p.relname = ${table}`}
    order by 1, 4, 5 nulls first`.execute(db)
  const timeOf = (id: string | null) => (id === null ? null : timeOfId(id))
  return rows.map((row) => ({ ...row, from: timeOf(row.from), to: timeOf(row.to) }))
}

/** Time from which on a table has no partition. */
export const endOf = (partitions: readonly Partition[]): Date =>
  new Date(Math.max(0, ...partitions.map(({ to }) => to?.getTime() ?? 0)))

/** By table. */
export function groupByTable(partitions: readonly Partition[]): Map<string, Partition[]> {
  const tables = new Map<string, Partition[]>()
  for (const partition of partitions) {
    tables.set(partition.table, [...(tables.get(partition.table) ?? []), partition])
  }
  return tables
}

/** Names of the tables that have no partition for rows of this time. */
export async function listTablesWithoutPartition(db: Db, time: Date): Promise<string[]> {
  const tables = groupByTable(await listPartitions(db))
  return [...tables].filter(([, of]) => endOf(of) <= time).map(([table]) => table)
}
