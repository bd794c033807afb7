/**
 * Divides existing tables, while they are in use: the table becomes the first partition of a new one with its name
 * (migrations 0058 and 0067). It is read once, without a lock that others wait for.
 */
import { sql } from 'kysely'
import type { Database, Db } from '../db.ts'
import { exclusively } from '../exclusive.ts'
import type { Width } from './ahead.ts'
import { withShortLock } from './short-lock.ts'

/** A table with partitions that are ranges of the time in an id, and their width. */
export type DividedTable = {
  table: string
  /** The column with the id; by default `id`. */
  key?: string
  width: Width
}

export type Division = {
  table: string
  /** `reading`: it is read once, to prove that the boundary holds. */
  state: 'waiting' | 'reading' | 'divided'
  bytes: number
}

/** In the order of the list; tables that do not exist are left out. */
export async function readDivisions(
  db: Db,
  tables: readonly Pick<DividedTable, 'table'>[],
): Promise<Division[]> {
  const { rows } = await sql<Division>`
    select t.name as table, case when c.relkind = 'p' then 'divided' when k.oid is null then 'waiting'
      else 'reading' end as state,
      case when c.relkind = 'p' then
        (select coalesce(sum(pg_table_size(p.relid)), 0) from pg_partition_tree(c.oid) p)::bigint
        else pg_table_size(c.oid) end as bytes
    from unnest(${tables.map(({ table }) => table)}::text[]) with ordinality as t (name, place)
    join pg_class c on c.oid = to_regclass(quote_ident(t.name))
    left join pg_constraint k on k.conrelid = c.oid and k.conname = t.name || '_is_first'
    order by t.place`.execute(db)
  return rows
}

/**
 * Divides the tables that are not divided yet, the smallest first, unless another process is doing it. An interrupted
 * division begins again with the table where it stopped.
 */
export async function divideTables(
  db: Database,
  tables: readonly DividedTable[],
  signal?: AbortSignal,
): Promise<void> {
  const waiting = async () =>
    (await readDivisions(db, tables))
      .filter(({ state }) => state !== 'divided')
      .toSorted((a, b) => a.bytes - b.bytes)
  if ((await waiting()).length === 0) return
  await exclusively(db, 'partitions.divide', async () => {
    for (const { table } of await waiting()) {
      const of = tables.find((other) => other.table === table)
      if (of && !signal?.aborted) await divideTable(db, of)
    }
  })
}

async function divideTable(db: Database, { table, width, key = 'id' }: DividedTable) {
  await withShortLock(db, async (tx) => {
    await sql`select bound_first_partition(${table}, ${width}, ${key})`.execute(tx)
  })
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select verify_first_partition(${table})`.execute(tx)
  })
  await withShortLock(db, async (tx) => {
    await sql`select attach_first_partition(${table}, ${width}, ${key})`.execute(tx)
  })
  // No background process collects statistics of the table as a whole.
  await sql`analyze ${sql.table(table)}`.execute(db)
}
