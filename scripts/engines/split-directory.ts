/**
 * Moves the data of organizations into a separate schema, so that tests find statements that read the directory and
 * the data of an organization together. That schema keeps a copy of the organizations. On a server with Citus, it is
 * a schema that Citus distributes.
 */
import { sql } from 'kysely'
import { CELL_TABLES, DIRECTORY_TABLES } from '../../src/modules/table-places.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { type Migration, migrate } from '../../src/platform/postgres/migrate.ts'

export const DIRECTORY_SCHEMA = 'public'
export const CELL_SCHEMA = 'cell'
/** For tests that use both in one connection. */
export const BOTH_SCHEMAS = `${DIRECTORY_SCHEMA},${CELL_SCHEMA}`

/** @param db migrated database of the directory, and the schema of the cell in the same database */
export async function splitDirectory(
  { directory, cell }: { directory: Database; cell: Database },
  migrations: Migration[],
): Promise<void> {
  await sql`create schema ${sql.id(CELL_SCHEMA)}`.execute(directory)
  await migrate(cell, migrations)
  await dropTables(
    cell,
    DIRECTORY_TABLES.filter((name) => name !== 'organizations'),
  )
  await dropTables(directory, CELL_TABLES)
  if (await hasCitus(directory)) await distributeCell(directory)
  await copyOrganizations(directory)
}

/** The product writes the copy itself. A test that inserts an organization in a connection for both schemas does not. */
async function copyOrganizations(directory: Database): Promise<void> {
  const copy = sql.id(CELL_SCHEMA, 'organizations')
  await sql`create function copy_organization() returns trigger language plpgsql as $$
    begin
      insert into ${copy} (id, name, plan) values (new.id, new.name, new.plan)
      on conflict do nothing;
      return null;
    end $$`.execute(directory)
  await sql`create trigger copy_organization after insert on organizations for each row
    when (position(${sql.lit(CELL_SCHEMA)} in current_setting('search_path')) > 0)
    execute function copy_organization()`.execute(directory)
}

async function dropTables(db: Database, names: readonly string[]): Promise<void> {
  const tables = sql.join(names.map((name) => sql.id(name)))
  await sql`drop table if exists ${tables} cascade`.execute(db)
}

/** Whether the server was started with the extension. */
export async function hasCitus(db: Database): Promise<boolean> {
  const { rows } = await sql<{ libraries: string }>`
    select current_setting('shared_preload_libraries') as libraries`.execute(db)
  return rows[0]?.libraries.includes('citus') === true
}

/** One server is coordinator and worker, so that copies of the database have the same servers. */
async function distributeCell(db: Database): Promise<void> {
  await sql`create extension if not exists citus`.execute(db)
  await sql`select citus_set_coordinator_host('127.0.0.1', current_setting('port')::integer)`.execute(
    db,
  )
  await sql`select citus_set_node_property('127.0.0.1', current_setting('port')::integer,
    'shouldhaveshards', true)`.execute(db)
  await sql`select citus_schema_distribute(${CELL_SCHEMA}::regnamespace)`.execute(db)
}
