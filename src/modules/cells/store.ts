/** SQL for cells, in the directory. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { CellTables } from './tables.ts'

export type CellRow = Selectable<CellTables['cells']> & { organizations: number }

/** In the order of their names. */
export async function listCells(directory: Db): Promise<CellRow[]> {
  const { rows } = await sql<CellRow>`
    select c.*, (select count(*) from organizations o where o.cell = c.name) as organizations
    from cells c order by c.name`.execute(directory)
  return rows
}

/** Whether there are further cells, also in a database that is older than their table. */
export async function hasCells(directory: Db): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`
    select to_regclass('cells') is not null as is_there`.execute(directory)
  return rows[0]?.is_there === true && (await listCells(directory)).length > 1
}

/** The names of the cells that accept new organizations, the one with the fewest first. */
export async function listOpenCells(directory: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from cells c where is_open
    order by (select count(*) from organizations o where o.cell = c.name), name`.execute(directory)
  return rows.map(({ name }) => name)
}

/** @returns false if there is a cell of this name */
export async function insertCell(
  directory: Db,
  cell: Pick<CellRow, 'name' | 'sealed_url' | 'schema' | 'is_open'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await directory
    .insertInto('cells')
    .values(cell)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** @returns false if there is no cell of this name */
export async function setCellOpen(directory: Db, name: string, isOpen: boolean): Promise<boolean> {
  const { numUpdatedRows } = await directory
    .updateTable('cells')
    .set({ is_open: isOpen })
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** @returns undefined if the organization does not exist */
export async function findCellOf(directory: Db, orgId: string): Promise<string | undefined> {
  const row = await directory
    .selectFrom('organizations')
    .select('cell')
    .where('id', '=', orgId)
    .executeTakeFirst()
  return row?.cell
}

/** Where an organization is now, and whether its writes have to wait for the end of a move. */
export async function findPlaceOf(
  directory: Db,
  orgId: string,
): Promise<{ cell: string; is_moving: boolean } | undefined> {
  const { rows } = await sql<{ cell: string; is_moving: boolean }>`
    select cell, coalesce(paused_until > now(), false) as is_moving
    from organizations where id = ${orgId}`.execute(directory)
  return rows[0]
}

export async function createSchema(cell: Db, schema: string): Promise<void> {
  await sql`create schema if not exists ${sql.id(schema)}`.execute(cell)
}

export async function hasOrganizations(cell: Db): Promise<boolean> {
  const { rows } = await sql`select from organizations limit 1`.execute(cell)
  return rows.length > 0
}

/** The time of its start identifies a server, so that one under two addresses is recognized. */
export async function findIdentity(cell: Db): Promise<string> {
  const { rows } = await sql<{ identity: string }>`
    select concat_ws('/', pg_postmaster_start_time(), current_database(), current_schema())
      as identity`.execute(cell)
  return rows[0]?.identity ?? ''
}
