/** SQL of the saved searches. */
import { sql } from 'kysely'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../../../platform/postgres/tables/edge.ts'

type Row = EdgeTables['edge_searches']
export type SearchRow = Row & { email: string | null }

const COLUMNS = sql`s.org_id, s.id, s.name, s.filters, s.created_by, s.created_at,
  (select u.email from users u where u.id = s.created_by) as email`

/** @returns undefined when the organisation has as many as it may have */
export async function insertSearch(
  db: Database,
  row: Row,
  searchesMax: number,
): Promise<SearchRow | undefined> {
  return await db.transaction().execute(async (tx) => {
    // One after another, because each counts those before it.
    await sql`
      select pg_advisory_xact_lock(hashtextextended(${`edge_searches:${row.org_id}`}, 0))`.execute(
      tx,
    )
    return await insertIfFew(tx, row, searchesMax)
  })
}

async function insertIfFew(
  db: Db,
  { org_id, id, name, filters, created_by, created_at }: Row,
  searchesMax: number,
): Promise<SearchRow | undefined> {
  const { rows } = await sql<SearchRow>`
    insert into edge_searches as s (org_id, id, name, filters, created_by, created_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${JSON.stringify(filters)}::jsonb,
      ${created_by}::uuid, ${created_at}::timestamptz
    where (select count(*) from edge_searches where org_id = ${org_id}) < ${searchesMax}::integer
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** By their names. */
export async function listSearches(db: Db, orgId: string): Promise<SearchRow[]> {
  const { rows } = await sql<SearchRow>`
    select ${COLUMNS} from edge_searches s where org_id = ${orgId}
    order by lower(name), id`.execute(db)
  return rows
}

/** @param only whose it has to be; undefined when anybody's will do */
export async function updateSearch(
  db: Db,
  orgId: string,
  { id, name, filters }: { id: string; name?: string | undefined; filters?: object | undefined },
  only: string | undefined,
): Promise<SearchRow | undefined> {
  const given = filters === undefined ? null : JSON.stringify(filters)
  const { rows } = await sql<SearchRow>`
    update edge_searches as s
    set name = coalesce(${name ?? null}, name), filters = coalesce(${given}::jsonb, filters)
    where org_id = ${orgId} and id = ${id} and created_by = coalesce(${only ?? null}::uuid, created_by)
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @returns whether it was deleted. @param only as of updateSearch */
export async function deleteSearch(
  db: Db,
  orgId: string,
  id: string,
  only: string | undefined,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from edge_searches
    where org_id = ${orgId} and id = ${id}
      and created_by = coalesce(${only ?? null}::uuid, created_by)`.execute(db)
  return numAffectedRows === 1n
}

export async function searchExists(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from edge_searches where org_id = ${orgId} and id = ${id}`.execute(db)
  return rows.length === 1
}
