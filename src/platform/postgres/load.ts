/**
 * Creates the tables of a dump and fills them, in the transaction of the caller: until it commits, the
 * database is as it was, so an interrupted load leaves nothing.
 */
import type { Client } from 'pg'
import { OperatorError } from '../operator-error.ts'
import { copyIn } from './copy.ts'
import { type DumpShape, quoted, setForCopy, type TableShape } from './dump.ts'
import { createMigrationsTable, lockMigrations, type Migration, withoutApplied } from './migrate.ts'
import { partsForTransaction } from './online-migration.ts'

export type LoadOptions = {
  shape: DumpShape
  /** All migrations that this version knows. */
  migrations: readonly Migration[]
  /** Deletes the tables that are there. Without it, they are an error. */
  overwrites: boolean
  /** Rows of a table in the text format of COPY. */
  rowsOf: (table: string) => AsyncIterable<Buffer>
  /** Called after each table. */
  onTable: (table: string, rows: number) => void
}

/**
 * @throws OperatorError if the target has tables, is in use, or the dump belongs to a newer version
 */
export async function loadTables(client: Client, options: LoadOptions): Promise<void> {
  const { shape, migrations } = options
  withoutApplied(migrations, shape.migrations, 'backup')
  await setForCopy(client)
  await lockMigrations((text) => client.query(text))
  await refuseUsers(client)
  await makeRoom(client, migrations, options.overwrites)
  const applied = new Set(shape.migrations.map(({ name }) => name))
  await client.query(createMigrationsTable)
  for (const { name, text } of migrations) {
    if (!applied.has(name)) continue
    for (const part of partsForTransaction(text)) await client.query(part)
  }
  await alignPartitions(client, shape)
  const foreignKeys = await listForeignKeys(client)
  for (const { table, name } of foreignKeys) {
    await client.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`)
  }
  const names = shape.tables.map(({ name }) => quoted(name))
  // They would deliver every event again, and refuse changes of append-only tables.
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  // Migrations insert rows too. A table that was truncated in the same transaction loads faster.
  await client.query(`truncate ${names.join(', ')}`)
  for (const table of shape.tables) await loadTable(client, table, options)
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  for (const { table, name, definition } of foreignKeys) {
    const constraint = `add constraint ${quoted(name)} ${definition}`
    await client.query(`alter table ${quoted(table)} ${constraint}`)
  }
  for (const { name, last_value } of shape.sequences) {
    if (last_value !== null) await client.query('select setval($1, $2)', [name, last_value])
  }
  await client.query(`analyze ${names.join(', ')}`)
}

async function loadTable(
  client: Client,
  { name, columns }: TableShape,
  { rowsOf, onTable }: LoadOptions,
): Promise<void> {
  const list = columns.map(quoted).join(', ')
  const rows = await copyIn(client, `copy ${quoted(name)} (${list}) from stdin`, rowsOf(name))
  onTable(name, rows)
}

/** A service that runs would write to tables that are replaced. */
async function refuseUsers(client: Client): Promise<void> {
  const { rows } = await client.query(`
    select from pg_stat_activity where datname = current_database() and application_name = 'vigil'
      and pid <> pg_backend_pid() limit 1`)
  if (rows.length === 0) return
  throw new OperatorError(
    'A Vigil service or command uses the target database. Stop it, then restore again.',
  )
}

/** Only tables and functions of Vigil are dropped, because others can be in the same schema. */
async function makeRoom(
  client: Client,
  migrations: readonly Migration[],
  overwrites: boolean,
): Promise<void> {
  const texts = migrations.map(({ text }) => text).join('\n')
  const named = (pattern: RegExp) => [...texts.matchAll(pattern)].map(([, name = '']) => name)
  const tables = named(/^\s*create (?:unlogged )?table (?:if not exists )?(\w+)/gim)
  const functions = named(/^\s*create (?:or replace )?function (\w+)/gim)
  const own = ['schema_migrations', ...tables]
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and relname = any($1)`,
    [own],
  )
  if (rows.length === 0) return
  if (!overwrites) {
    throw new OperatorError(
      'The target database has data. Restore into an empty one, or replace everything in it with --overwrite.',
    )
  }
  const existing = rows.map(({ name }) => quoted(name)).join(', ')
  await client.query(`drop table ${existing} cascade`)
  for (const name of functions) {
    await client.query(`drop function if exists ${quoted(name)} cascade`)
  }
}

/** A migration creates partitions for the time at which it runs, with the names of others. */
async function alignPartitions(client: Client, { partitions, tables }: DumpShape): Promise<void> {
  const filled = tables.filter(({ is_partitioned }) => is_partitioned).map(({ name }) => name)
  const { rows } = await client.query<{ name: string }>(
    `select t.relid::regclass::text as name from unnest($1::text[]) parent (name),
       pg_partition_tree(parent.name::regclass) t where t.level = 1`,
    [filled],
  )
  for (const { name } of rows) await client.query(`drop table ${name}`)
  for (const { name, parent, bound, key, options } of partitions) {
    const keyed = key === null ? '' : ` partition by ${key}`
    const stored = options ? ` with (${options})` : ''
    await client.query(
      `create table if not exists ${quoted(name)} partition of ${quoted(parent)} ${bound}${keyed}${stored}`,
    )
  }
}

type ForeignKey = { table: string; name: string; definition: string }

async function listForeignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0
      and k.connamespace = current_schema()::regnamespace
    order by c.relname, k.conname`)
  return rows
}
