/** SQL of the saved searches. */
import { sql } from 'kysely'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../tables.ts'

type Row = EdgeTables['edge_searches']
export type SearchRow = Row

const COLUMNS = sql`s.org_id, s.id, s.name, s.filters, s.created_by, s.created_at`

/** @returns undefined if the organization already has the maximum number of searches */
export async function insertSearch(db: Database, row: Row, searchesMax: number) {
  return await db.transaction().execute(async (tx) => {
    // Inserts of an organization run one at a time, because each counts the ones before it.
    const lock = `edge_searches:${row.org_id}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
    return await insertIfFew(tx, row, searchesMax)
  })
}

async function insertIfFew(
  db: Db,
  { org_id, id, name, filters, created_by, created_at }: Row,
  searchesMax: number,
): Promise<SearchRow | undefined> {
  const { rows } = await sql<SearchRow>`
    ${counted(sql`edge_searches where org_id = ${org_id}`)}
    insert into edge_searches as s (org_id, id, name, filters, created_by, created_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${JSON.stringify(filters)}::jsonb,
      ${created_by}::uuid, ${created_at}::timestamptz
    from counted where total < ${searchesMax}::integer
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Ordered by name. */
export async function listSearches(db: Db, orgId: string): Promise<SearchRow[]> {
  const { rows } = await sql<SearchRow>`
    select ${COLUMNS} from edge_searches s where org_id = ${orgId}
    order by lower(name), id`.execute(db)
  return rows
}

/** @param author the required author; undefined if any author is accepted */
export async function updateSearch(
  db: Db,
  orgId: string,
  { id, name, filters }: { id: string; name?: string | undefined; filters?: object | undefined },
  author: string | undefined,
): Promise<SearchRow | undefined> {
  const filtersJson = filters === undefined ? null : JSON.stringify(filters)
  const { rows } = await sql<SearchRow>`
    update edge_searches as s
    set name = coalesce(${name ?? null}, name), filters = coalesce(${filtersJson}::jsonb, filters)
    where org_id = ${orgId} and id = ${id} and created_by = coalesce(${author ?? null}::uuid, created_by)
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @returns whether it was deleted. @param author as in updateSearch */
export async function deleteSearch(db: Db, orgId: string, id: string, author: string | undefined) {
  const { numAffectedRows } = await sql`
    delete from edge_searches
    where org_id = ${orgId} and id = ${id}
      and created_by = coalesce(${author ?? null}::uuid, created_by)`.execute(db)
  return numAffectedRows === 1n
}

export async function searchExists(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from edge_searches where org_id = ${orgId} and id = ${id}`.execute(db)
  return rows.length === 1
}
