/**
 * Moves the tables of the directory into another schema, so that tests find statements that read the
 * directory and the data of an organization together. The other schema keeps a copy of the organizations.
 */
import { sql } from 'kysely'
import { DIRECTORY_TABLES } from '../../src/modules/table-places.ts'
import type { Database } from '../../src/platform/postgres/db.ts'

export const DIRECTORY_SCHEMA = 'directory'
/** Those of the cell come first, so that tests that use both find the copy of the organizations. */
export const BOTH_SCHEMAS = `public,${DIRECTORY_SCHEMA}`

export async function splitDirectory(db: Database): Promise<void> {
  await sql`create schema ${sql.id(DIRECTORY_SCHEMA)}`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and (relname = any(${[...DIRECTORY_TABLES]}) or oid in (
        select inhrelid from pg_inherits where inhparent::regclass::text = any(${[...DIRECTORY_TABLES]})))`.execute(
    db,
  )
  await sql`alter table ledger_accounts drop constraint ledger_accounts_org_id_fkey`.execute(db)
  for (const { name } of rows) {
    await sql`alter table ${sql.id('public', name)} set schema ${sql.id(DIRECTORY_SCHEMA)}`.execute(
      db,
    )
  }
  await sql`create table public.organizations (
    like ${sql.id(DIRECTORY_SCHEMA, 'organizations')} including all)`.execute(db)
  await sql`alter table ledger_accounts add foreign key (org_id) references public.organizations`.execute(
    db,
  )
}
