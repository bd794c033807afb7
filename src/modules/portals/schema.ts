/** Responses about customer portals and their links. */
import type { Selectable } from 'kysely'
import type { PortalTables } from './tables.ts'

/** A portal, with what it is used for. */
export type Portal = Omit<Selectable<PortalTables['portals']>, 'org_id' | 'filter_path'>
export type ListedPortal = Portal & { endpoints: number; active_links: number }

export type PortalLink = Omit<
  Selectable<PortalTables['portal_links']>,
  'org_id' | 'token_hash' | 'created_by' | 'portal_id'
> & { created_by_email: string | null }

/** The token is the fragment of the URL. It is not shown again. */
export type NewPortalLink = { id: string; url: string; expires_at: string }

/** The portal as the holder of a link sees it. */
export type OpenPortal = Pick<Portal, 'id' | 'name' | 'mode' | 'events' | 'endpoints_max'> & {
  expires_at: Date
}
