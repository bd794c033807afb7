/** The tables that are moved with an organization, from the catalog of a cell. */
import type { Client } from 'pg'
import { quoted } from '../../../platform/postgres/dump.ts'
import { CELL_TABLES, OF_THE_CELL } from '../../table-places.ts'

export type MovedTable = {
  name: string
  /** Without generated columns, which are computed again. */
  columns: string[]
  /** Columns of the primary key. */
  key: string[]
}

/** About moves themselves. */
const OF_MOVES: readonly string[] = ['organization_changes', 'organization_fences']
const MOVED_NAMES = CELL_TABLES.filter(
  (name) => !OF_THE_CELL.includes(name) && !OF_MOVES.includes(name),
)

/** The only foreign keys between tables of a cell: accounts are inserted before their transfers. */
const FIRST_TABLES: readonly string[] = ['ledger_accounts']
const byReference = (a: MovedTable, b: MovedTable): number =>
  Number(FIRST_TABLES.includes(b.name)) - Number(FIRST_TABLES.includes(a.name))

/**
 * In an order in which rows can be inserted.
 *
 * @param prefix of the names, for the tables in which a move collects its rows; they need no key
 */
export async function readMovedTables(client: Client, prefix = ''): Promise<MovedTable[]> {
  const { rows } = await client.query<MovedTable>(
    `select substr(c.relname, length($2) + 1) as name,
       array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
       coalesce((select array_agg(k.attname::text order by k.attnum)
         from pg_index i join pg_attribute k on k.attrelid = c.oid and k.attnum = any(i.indkey)
         where i.indrelid = c.oid and i.indisprimary), '{}') as key
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
       and c.relname = any(select $2 || name from unnest($1::text[]) as name)
     group by c.oid, c.relname order by c.relname`,
    [MOVED_NAMES, prefix],
  )
  return rows.toSorted(byReference)
}

export const listOf = (columns: readonly string[], table?: string): string =>
  columns.map((column) => (table ? `${table}.${quoted(column)}` : quoted(column))).join(', ')
