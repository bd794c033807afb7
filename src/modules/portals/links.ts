/** Links to portals: who holds one may manage the endpoints of one portal. */
import type { Clock } from '../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../platform/crypto/tokens.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { insertAudit } from '../audit/index.ts'
import {
  deleteLinks,
  endLink,
  findHolder,
  insertLink,
  type LinkHolder,
  listLinks,
  recordUse,
} from './links.store.ts'
import { LINK_HOURS_DEFAULT, type LinkRequest } from './requests.ts'
import type { NewPortalLink, Portal, PortalLink } from './schema.ts'

/** The holder of a link, as requests of the page of a portal identify it. */
export type PortalHolder = Omit<LinkHolder, 'last_used_at'>

export type PortalLinks = {
  /**
   * @param by the acting user; undefined for keys and the command line
   * @throws AppError 400 naming `portal_id`
   */
  create(
    orgId: string,
    portal: Pick<Portal, 'id' | 'name'>,
    request: LinkRequest,
    by?: string,
  ): Promise<NewPortalLink>
  /** Newest first, including those that no longer work. */
  list(orgId: string, portalId: string): Promise<PortalLink[]>
  /** @returns false unless the portal has such a link that works */
  end(orgId: string, portal: Pick<Portal, 'id' | 'name'>, id: string, by?: string): Promise<boolean>
  /** Ends all links of a portal that was deleted. */
  removeAll(orgId: string, portalId: string): Promise<void>
  /** @returns undefined when the text is not the token of a link that works, for any reason */
  authenticate(text: string): Promise<PortalHolder | undefined>
}

const TOKEN_PREFIX = 'vpl_'
const ACTIVE_MAX = 1000
const LISTED_MAX = 200

type Dependencies = {
  directory: Database
  clock: Clock
  newId: NewId
  /** Address of the service, without a slash at the end. */
  site: string
}

export function createPortalLinks({ directory, clock, newId, site }: Dependencies): PortalLinks {
  const audit = async (tx: Db, orgId: string, entry: Entry) => {
    const at = clock.now()
    const { by = null, ...facts } = entry
    await insertAudit(tx, orgId, { id: newId(at), at, actor_user_id: by, ...facts })
  }
  return {
    create: async (org_id, portal, { hours, note }, by) => {
      const created_at = clock.now()
      const id = newId(created_at)
      const token = newToken(TOKEN_PREFIX)
      const expires_at = new Date(created_at.getTime() + (hours ?? LINK_HOURS_DEFAULT) * HOUR_MS)
      const times = { created_at, created_by: by ?? null, expires_at }
      const link = { id, org_id, portal_id: portal.id, token_hash: hashToken(token), ...times }
      await directory.transaction().execute(async (tx) => {
        if (!(await insertLink(tx, { ...link, note: note ?? '' }, ACTIVE_MAX))) {
          const message = `portal_id has ${ACTIVE_MAX} links that work; end some of them`
          throw invalidRequest('portal_id', message)
        }
        const details = { link_id: id, note: note ?? '', expires_at }
        await audit(tx, org_id, {
          action: 'portal_link.created',
          target: portal.name,
          details,
          by,
        })
      })
      const url = `${site}/console/portal/${id}#${token}`
      return { id, url, expires_at: expires_at.toISOString() }
    },
    list: async (orgId, portalId) => await listLinks(directory, orgId, portalId, LISTED_MAX),
    end: async (org_id, portal, id, by) =>
      await directory.transaction().execute(async (tx) => {
        const ended = await endLink(tx, { org_id, portal_id: portal.id, id }, clock.now())
        if (ended === undefined) return false
        const details = { link_id: id, note: ended }
        await audit(tx, org_id, { action: 'portal_link.ended', target: portal.name, details, by })
        return true
      }),
    removeAll: async (orgId, portalId) => await deleteLinks(directory, orgId, portalId),
    authenticate: async (text) => {
      if (!isToken(text, TOKEN_PREFIX)) return undefined
      const now = clock.now()
      const holder = await findHolder(directory, hashToken(text), now)
      if (!holder) return undefined
      const { last_used_at, ...rest } = holder
      const isRecent = last_used_at !== null && now.getTime() - last_used_at.getTime() < MINUTE_MS
      if (!isRecent) await recordUse(directory, holder.link_id, now)
      return rest
    },
  }
}

type Entry = {
  action: string
  target: string
  details: Record<string, unknown>
  by: string | undefined
}
