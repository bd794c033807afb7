/** SQL of links to portals, in the directory. */
import { type Selectable, sql } from 'kysely'
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Plan } from '../accounts/tables.ts'
import type { PortalLink } from './schema.ts'
import type { PortalTables } from './tables.ts'

type Row = Selectable<PortalTables['portal_links']>
export type LinkRow = Omit<Row, 'ended_at' | 'last_used_at'>

/** @returns false when the portal already has `linksMax` links that work */
export async function insertLink(db: Db, link: LinkRow, linksMax: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into portal_links (id, org_id, portal_id, token_hash, note, created_at, created_by, expires_at)
    select ${link.id}::uuid, ${link.org_id}::uuid, ${link.portal_id}::uuid, ${link.token_hash}::bytea,
      ${link.note}, ${link.created_at}::timestamptz, ${link.created_by}::uuid, ${link.expires_at}::timestamptz
    where (select count(*) from portal_links
      where org_id = ${link.org_id} and portal_id = ${link.portal_id}
        and ended_at is null and expires_at > ${link.created_at}) < ${linksMax}::integer`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** Newest first. */
export async function listLinks(db: Db, orgId: string, portalId: string, limit: number) {
  const { rows } = await sql<PortalLink>`
    select l.id, l.note, l.created_at, l.expires_at, l.ended_at, l.last_used_at,
      u.email as created_by_email
    from portal_links l left join users u on u.id = l.created_by
    where l.org_id = ${orgId} and l.portal_id = ${portalId}
    order by l.id desc limit ${limit}`.execute(db)
  return rows
}

/** @returns the number of links that work, by portal */
export async function countActiveLinks(db: Db, orgId: string, now: Date) {
  const { rows } = await sql<{ portal_id: string; links: number }>`
    select portal_id, count(*) as links from portal_links
    where org_id = ${orgId} and ended_at is null and expires_at > ${now} group by 1`.execute(db)
  return new Map(rows.map(({ portal_id, links }) => [portal_id, links]))
}

/** @returns the note of the link, or undefined unless it works */
export async function endLink(
  tx: Db,
  { org_id, portal_id, id }: Pick<Row, 'org_id' | 'portal_id' | 'id'>,
  now: Date,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined
  const row = await tx
    .updateTable('portal_links')
    .set({ ended_at: now })
    .where('org_id', '=', org_id)
    .where('portal_id', '=', portal_id)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('note')
    .executeTakeFirst()
  return row?.note
}

export async function deleteLinks(db: Db, orgId: string, portalId: string): Promise<void> {
  await db
    .deleteFrom('portal_links')
    .where('org_id', '=', orgId)
    .where('portal_id', '=', portalId)
    .execute()
}

export type LinkHolder = Pick<Row, 'org_id' | 'portal_id' | 'expires_at' | 'last_used_at'> & {
  link_id: string
  plan: Plan
  cell: string
  is_moving: boolean
}

const HOLDER = sql`l.id as link_id, l.org_id, l.portal_id, l.expires_at, l.last_used_at, o.plan, o.cell,
  coalesce(o.paused_until > now(), false) as is_moving`

/** Not scoped by organization, because the token identifies it. */
export async function findHolder(db: Db, tokenHash: Buffer, now: Date) {
  const { rows } = await sql<LinkHolder>`
    select ${HOLDER} from portal_links l join organizations o on o.id = l.org_id
    where l.token_hash = ${tokenHash} and l.ended_at is null and l.expires_at > ${now}`.execute(db)
  return rows[0]
}

/** Where the portal of a link is, also of one that has ended. @param id any text */
export async function findPortalOf(db: Db, id: string) {
  if (!isUuid(id)) return undefined
  const { rows } = await sql<Pick<LinkHolder, 'org_id' | 'portal_id' | 'cell'>>`
    select l.org_id, l.portal_id, o.cell
    from portal_links l join organizations o on o.id = l.org_id where l.id = ${id}`.execute(db)
  return rows[0]
}

export async function recordUse(db: Db, linkId: string, now: Date): Promise<void> {
  await db.updateTable('portal_links').set({ last_used_at: now }).where('id', '=', linkId).execute()
}

/** @returns the number of deleted links, which had expired before the time */
export async function sweepLinks(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from portal_links where id in (
      select id from portal_links where expires_at < ${before} limit 1000)`.execute(db)
  return Number(numAffectedRows)
}
