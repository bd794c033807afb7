/** SQL of the panels. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../tables.ts'

type Row = EdgeTables['edge_panels']
export type PanelRow = Row

const COLUMNS = sql`p.org_id, p.id, p.name, p.view, p.position, p.created_by, p.created_at`

/** Changes of a dashboard run one at a time, because each depends on the panels that exist. */
export async function lockPanels(tx: Db, orgId: string): Promise<void> {
  const lock = `edge_panels:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
}

/** Adds the panel at the end. @returns undefined if there is the maximum number of panels */
export async function insertPanel(
  tx: Db,
  { org_id, id, name, view, created_by, created_at }: Omit<Row, 'position'>,
  panelsMax: number,
): Promise<PanelRow | undefined> {
  const { rows } = await sql<PanelRow>`
    with counted as materialized (
      select count(*) as total, max(position) as last from edge_panels where org_id = ${org_id}
    )
    insert into edge_panels as p (org_id, id, name, view, position, created_by, created_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${JSON.stringify(view)}::jsonb,
      coalesce(last, 0) + 1, ${created_by}::uuid, ${created_at}::timestamptz
    from counted where total < ${panelsMax}::integer
    returning ${COLUMNS}`.execute(tx)
  return rows[0]
}

/** In their order. */
export async function listPanels(db: Db, orgId: string): Promise<PanelRow[]> {
  const { rows } = await sql<PanelRow>`
    select ${COLUMNS} from edge_panels p where org_id = ${orgId} order by position, id`.execute(db)
  return rows
}

/** @param author the required author; undefined if any author is accepted */
export async function updatePanel(
  db: Db,
  orgId: string,
  { id, name, view }: { id: string; name?: string | undefined; view?: object | undefined },
  author: string | undefined,
): Promise<PanelRow | undefined> {
  const viewJson = view === undefined ? null : JSON.stringify(view)
  const { rows } = await sql<PanelRow>`
    update edge_panels as p
    set name = coalesce(${name ?? null}, name), view = coalesce(${viewJson}::jsonb, view)
    where org_id = ${orgId} and id = ${id} and created_by = coalesce(${author ?? null}::uuid, created_by)
    returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** @returns whether it was deleted. @param author as in updatePanel */
export async function deletePanel(db: Db, orgId: string, id: string, author: string | undefined) {
  const { numAffectedRows } = await sql`
    delete from edge_panels
    where org_id = ${orgId} and id = ${id}
      and created_by = coalesce(${author ?? null}::uuid, created_by)`.execute(db)
  return numAffectedRows === 1n
}

export async function orderPanels(tx: Db, orgId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update edge_panels as p set position = new.position
    from unnest(${[...ids]}::uuid[]) with ordinality as new (id, position)
    where p.org_id = ${orgId} and p.id = new.id`.execute(tx)
}
