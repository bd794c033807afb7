/** SQL of portals, in the cell of their organization. */
import { type Selectable, sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import { counted } from '../../platform/postgres/counted.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Portal } from './schema.ts'
import type { PortalTables } from './tables.ts'

export type PortalRow = Selectable<PortalTables['portals']>

const SHOWN = sql`p.id, p.mode, p.name, p.events, p.filter, p.endpoints_max, p.allowed_origins,
  p.created_at, p.updated_at`

/** @returns false when the organization already has `portalsMax` portals */
export async function insertPortal(db: Db, row: PortalRow, portalsMax: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    ${counted(sql`portals where org_id = ${row.org_id}`)}
    insert into portals (org_id, id, mode, name, events, filter, filter_path, endpoints_max,
      allowed_origins, created_at, updated_at)
    select ${row.org_id}::uuid, ${row.id}::uuid, ${row.mode}, ${row.name}, ${row.events}::text[],
      ${jsonOf(row.filter)}::jsonb, ${row.filter_path}::jsonpath, ${row.endpoints_max}::integer,
      ${row.allowed_origins}::text[], ${row.created_at}::timestamptz, ${row.updated_at}::timestamptz
    from counted where total < ${portalsMax}::integer`.execute(db)
  return numAffectedRows === 1n
}

/** Newest first, with the number of their endpoints. */
export async function listPortals(db: Db, orgId: string) {
  const { rows } = await sql<Portal & { endpoints: number }>`
    select ${SHOWN}, (select count(*) from webhook_endpoints w
      where w.org_id = p.org_id and w.portal_id = p.id and w.status <> 'deleted') as endpoints
    from portals p where p.org_id = ${orgId} order by p.id desc`.execute(db)
  return rows
}

/** @param id any text; one that is not a UUID matches nothing */
export async function findPortal(db: Db, orgId: string, id: string) {
  if (!isUuid(id)) return undefined
  const { rows } = await sql<Portal>`
    select ${SHOWN} from portals p where p.org_id = ${orgId} and p.id = ${id}`.execute(db)
  return rows[0]
}

/** Locks the portal, so that its endpoints are counted one after the other and a deletion waits. */
export async function lockPortal(tx: Db, orgId: string, id: string) {
  const { rows } = await sql<Portal>`
    select ${SHOWN} from portals p where p.org_id = ${orgId} and p.id = ${id} for update`.execute(
    tx,
  )
  return rows[0]
}

export type PortalUpdate = Partial<Omit<PortalRow, 'org_id' | 'id' | 'mode' | 'created_at'>>

/** Requires the lock of `lockPortal`. */
export async function updatePortal(
  tx: Db,
  orgId: string,
  id: string,
  { filter, ...changes }: PortalUpdate,
): Promise<void> {
  await tx
    .updateTable('portals')
    .set({ ...changes, ...(filter !== undefined && { filter: jsonOf(filter) }) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()
}

/** @returns ids of the endpoints of the portal, which the caller deletes */
export async function deletePortal(tx: Db, orgId: string, id: string): Promise<string[]> {
  await tx.deleteFrom('portals').where('org_id', '=', orgId).where('id', '=', id).execute()
  const { rows } = await sql<{ id: string }>`
    select id from webhook_endpoints
    where org_id = ${orgId} and portal_id = ${id} and status <> 'deleted'`.execute(tx)
  return rows.map((row) => row.id)
}

const jsonOf = (filter: PortalRow['filter']): string | null => filter && JSON.stringify(filter)
