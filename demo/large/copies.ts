/**
 * Copies rows of the month with set-based statements: first each into all layers of time, and then those of a layer
 * into some copies at a time, which is done often and costs little.
 */
import { sql } from 'kysely'
import type { Database } from '../../src/platform/postgres/db.ts'
import { LAYERS, SCHEMA } from './functions.ts'

/** Texts are SQL, in which `b` is the copied row, `layer` how old it is, and `k` the number of the copy. */
export type CopiedTable = {
  table: string
  copies: number
  /** Rows that are copied; all by default. */
  where?: string
  /** Columns with ids that differ between copies, as references to them do. */
  ids?: readonly string[]
  /** Columns, also further ones, that are the same in all copies of a layer. */
  layered?: Readonly<Record<string, string>>
  /** Columns with other values in each copy. */
  values?: Readonly<Record<string, string>>
  /** Columns with times that are the same in all copies. */
  same_times?: readonly string[]
  /** Further relations. */
  joins?: string
  /** Number of rows that the relations make of one. */
  rows_per_copy?: number
  /** Whether triggers run, which count rows. */
  has_triggers?: boolean
}

/** A statement inserts about this number of rows, which takes seconds. */
const PORTION_ROWS = 20_000

/** @returns the number of rows that were added */
export async function copyTable(db: Database, orgId: string, copied: CopiedTable): Promise<number> {
  const { table, where = 'true', joins = '', copies, rows_per_copy = 1 } = copied
  const base = sql.raw(`${SCHEMA}.${table}`)
  const columns = await columnsOf(db, copied)
  await sql`create unlogged table ${base} as
    select ${sql.raw(columns.layered.join(', '))}, layer
    from ${sql.table(table)} b cross join generate_series(0, ${sql.lit(LAYERS - 1)}) layer
    where org_id = ${orgId} and ${sql.raw(where)}`.execute(db)
  await sql`analyze ${base}`.execute(db)
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from ${base} where layer = 0`.execute(db)
  const step = Math.ceil(PORTION_ROWS / Math.max(1, (rows[0]?.rows ?? 0) * rows_per_copy))
  let added = 0
  for (let first = 1; first <= copies; first += step) {
    added += await db.transaction().execute(async (tx) => {
      if (copied.has_triggers !== true) {
        await sql`set local session_replication_role = replica`.execute(tx)
      }
      const { numAffectedRows } = await sql`
        insert into ${sql.table(table)} (${sql.raw(columns.names.join(', '))})
        select ${sql.raw(columns.values.join(', '))}
        from generate_series(${first}::int, ${Math.min(copies, first + step - 1)}::int) k
        join ${base} b on b.layer = k % ${sql.lit(LAYERS)} ${sql.raw(joins)}`.execute(tx)
      return Number(numAffectedRows ?? 0)
    })
  }
  await sql`analyze ${sql.table(table)}`.execute(db)
  return added
}

type Column = { name: string; type: string }

async function columnsOf(db: Database, copied: CopiedTable) {
  const { table, ids = [], layered = {}, values = {}, same_times = [] } = copied
  const { rows } = await sql<Column>`
    select attname as name, atttypid::regtype::text as type from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped
      and attidentity = '' and attgenerated = '' order by attnum`.execute(db)
  const movedOf = ({ name, type }: Column): string => {
    if (ids.includes(name)) return `${SCHEMA}.moved(b.${name}, layer)`
    const isTime = type === 'timestamp with time zone' && !same_times.includes(name)
    return isTime ? `b.${name} - ${SCHEMA}.earlier(layer)` : `b.${name}`
  }
  const names = rows.map(({ name }) => name)
  const others = Object.keys(layered).filter((name) => !names.includes(name))
  const copyOf = (name: string): string =>
    values[name] ?? (ids.includes(name) ? `${SCHEMA}.id(b.${name}, k)` : `b.${name}`)
  return {
    names: names.map((name) => `"${name}"`),
    layered: [
      ...rows.map((column) => `${layered[column.name] ?? movedOf(column)} as "${column.name}"`),
      ...others.map((name) => `${layered[name]} as "${name}"`),
    ],
    values: names.map(copyOf),
  }
}
