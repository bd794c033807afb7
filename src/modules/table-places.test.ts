import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../test/database.ts'
import { CELL_TABLES, DIRECTORY_TABLES, OF_THE_CELL } from './table-places.ts'

const db = ownDatabase('whole')
const OWNED = CELL_TABLES.filter((table) => !OF_THE_CELL.includes(table))
/** Unique keys that nodes of the previous version name in `on conflict`. The next version drops them. */
const FOR_PREVIOUS_VERSION = [
  'push_configurations_for_previous_version',
  'push_credentials_for_previous_version',
  'push_identity_uses_for_previous_version',
]

const names = async (query: ReturnType<typeof sql<{ name: string }>>): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ name }) => name)

describe('every table', () => {
  it('lives in the directory or in the cells', async () => {
    const existing = await names(sql`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and not relispartition and relname <> 'schema_migrations' order by 1`)
    expect([...DIRECTORY_TABLES, ...CELL_TABLES].toSorted()).toEqual(existing)
  })
})

describe('every table of a cell', () => {
  it('names the organization in every row', async () => {
    const named = await names(sql`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'org_id' and data_type = 'uuid'
        and is_nullable = 'NO' and table_name = any(${OWNED}) order by 1`)
    expect(named).toEqual(OWNED)
  })

  it('has a primary key, which begins with the organization as all unique keys do', async () => {
    const { rows } = await sql<{ name: string; key: string; is_primary: boolean; first: string }>`
      select t.relname as name, k.relname as key, i.indisprimary as is_primary,
        coalesce(a.attname, '') as first
      from pg_index i join pg_class t on t.oid = i.indrelid join pg_class k on k.oid = i.indexrelid
      left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where t.relnamespace = current_schema()::regnamespace and i.indisunique
        and t.relname = any(${OWNED})
      order by 1, 2`.execute(db)
    const others = rows.filter(({ first }) => first !== 'org_id').map(({ key }) => key)
    expect(others).toEqual(FOR_PREVIOUS_VERSION)
    expect(rows.filter(({ is_primary }) => is_primary).map(({ name }) => name)).toEqual(OWNED)
  })

  it('refers to tables of its cell only', async () => {
    const foreign = await names(sql`
      select distinct f.relname as name
      from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class f on f.oid = c.confrelid
      where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace
        and t.relname = any(${[...CELL_TABLES]})`)
    // A cell has a copy of the rows of its organizations.
    expect(foreign.filter((table) => !OWNED.includes(table as never))).toEqual(['organizations'])
  })
})
