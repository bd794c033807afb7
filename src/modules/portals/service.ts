/** Portals, as owners and admins manage them. */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { NewAuditEntry } from '../audit/index.ts'
import { filterPath, markDeleted } from '../webhooks/index.ts'
import { countActiveLinks } from './links.store.ts'
import type { PortalLinks } from './links.ts'
import { readOrigins } from './origins.ts'
import {
  deletePortal,
  findPortal,
  insertPortal,
  listPortals,
  lockPortal,
  updatePortal,
} from './portals.store.ts'
import { type PortalChanges, type PortalRequest } from './requests.ts'
import type { ListedPortal, Portal } from './schema.ts'

export type Portals = {
  /** @throws AppError 400 naming the invalid member */
  create(orgId: string, request: PortalRequest, by?: string): Promise<Portal>
  /** Newest first. */
  list(orgId: string): Promise<ListedPortal[]>
  find(orgId: string, id: string): Promise<Portal | undefined>
  /**
   * Members that are left out keep their values. What is narrowed applies to events from now on.
   * @throws AppError 400 naming the invalid member
   */
  change(
    orgId: string,
    id: string,
    changes: PortalChanges,
    by?: string,
  ): Promise<Portal | undefined>
  /** Ends its links and deletes its endpoints, too. @returns false when it does not exist */
  remove(orgId: string, id: string, by?: string): Promise<boolean>
}

const PORTALS_MAX = 200

export type PortalDependencies = {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
  audit: (tx: Db, orgId: string, entry: NewAuditEntry) => Promise<void>
  links: Pick<PortalLinks, 'removeAll'>
}

export function createPortals(deps: PortalDependencies): Portals {
  const { db, directory, clock, newId, links } = deps
  const audit = async (tx: Db, orgId: string, by: string | undefined, facts: Facts) => {
    const at = clock.now()
    await deps.audit(tx, orgId, { id: newId(at), at, actor_user_id: by ?? null, ...facts })
  }
  return {
    create: async (org_id, { filter, ...request }, by) => {
      const now = clock.now()
      const portal = { id: newId(now), ...normalized(request), created_at: now, updated_at: now }
      const row = { ...portal, org_id, filter, filter_path: filterPath(filter) }
      await db.transaction().execute(async (tx) => {
        if (!(await insertPortal(tx, row, PORTALS_MAX))) {
          throw invalidRequest('name', `name: there are ${PORTALS_MAX} portals already`)
        }
        const { mode, name: target, events } = portal
        const details = { portal_id: portal.id, mode, events, filter }
        await audit(tx, org_id, by, { action: 'portal.created', target, details })
      })
      return { ...portal, filter }
    },
    list: async (orgId) => {
      const active = await countActiveLinks(directory, orgId, clock.now())
      const portals = await listPortals(db, orgId)
      return portals.map((portal) => ({ ...portal, active_links: active.get(portal.id) ?? 0 }))
    },
    find: async (orgId, id) => await findPortal(db, orgId, id),
    change: async (orgId, id, { filter, ...changes }, by) => {
      if (!isUuid(id)) return undefined
      const update = {
        ...normalized(changes),
        ...(filter !== undefined && { filter, filter_path: filterPath(filter) }),
        updated_at: clock.now(),
      }
      return await db.transaction().execute(async (tx) => {
        const portal = await lockPortal(tx, orgId, id)
        if (!portal) return undefined
        await updatePortal(tx, orgId, id, update)
        const { filter_path: _path, updated_at: _at, ...details } = update
        await audit(tx, orgId, by, { action: 'portal.changed', target: portal.name, details })
        return await findPortal(tx, orgId, id)
      })
    },
    remove: async (orgId, id, by) => {
      if (!isUuid(id)) return false
      const isRemoved = await db.transaction().execute(async (tx) => {
        const portal = await lockPortal(tx, orgId, id)
        if (!portal) return false
        const endpoints = await deletePortal(tx, orgId, id)
        for (const endpoint of endpoints) await markDeleted(tx, orgId, endpoint, clock.now())
        const details = { portal_id: id, endpoints: endpoints.length }
        await audit(tx, orgId, by, { action: 'portal.deleted', target: portal.name, details })
        return true
      })
      // Links to a portal that does not exist are refused, so it does not matter if this fails.
      if (isRemoved) await links.removeAll(orgId, id)
      return isRemoved
    },
  }
}

type Facts = Pick<NewAuditEntry, 'action' | 'target' | 'details'>

/** @throws AppError 400 naming the origin */
function normalized<T extends { events?: string[]; allowed_origins?: string[] }>(given: T): T {
  const { events, allowed_origins } = given
  return {
    ...given,
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(allowed_origins !== undefined && { allowed_origins: readOrigins(allowed_origins) }),
  }
}
