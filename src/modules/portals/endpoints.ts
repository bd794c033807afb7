/**
 * Endpoints of a portal, as the holder of a link manages them. Each operation finds the endpoint among those of
 * the portal, and each change is written together with an entry of the audit log that names the link.
 */
import {
  forbidden,
  invalidPortalLink,
  invalidRequest,
  notFound,
} from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { hasPlan } from '../accounts/index.ts'
import type { NewAuditEntry } from '../audit/index.ts'
import type { EventType } from '../events/index.ts'
import {
  createEndpointExtras,
  createWebhooks,
  type EndpointExtras,
  findDelivery,
  findEndpoint,
  type WebhookDependencies,
  type Webhooks,
} from '../webhooks/index.ts'
import type { PortalHolder } from './links.ts'
import { findPortal, lockPortal } from './portals.store.ts'
import type { Portal } from './schema.ts'

export type PortalEndpoints = {
  /** @throws AppError 401 when the portal was deleted, 403 when the plan does not include webhooks */
  open(holder: PortalHolder): Promise<Portal>
  /** @throws AppError 404 unless the endpoint belongs to the portal; also with the portal's own errors */
  own(holder: PortalHolder, endpointId: string): Promise<{ portal: Portal; url: string }>
  /** The endpoint of a delivery. @throws AppError as `own` */
  ownDelivery(holder: PortalHolder, deliveryId: string): Promise<void>
  /** Runs a change and writes it into the audit log, both or neither. */
  change<T>(holder: PortalHolder, entry: ChangeEntry, run: Change<T>): Promise<T>
  /** Checks a URL before a change, because no other service is called while a transaction is open. */
  checked(url: string | undefined): Promise<CheckedUrl>
}

type ChangeEntry = Required<Pick<NewAuditEntry, 'action' | 'target'>> & {
  details?: Record<string, unknown>
  url?: CheckedUrl
}
type CheckedUrl = WebhookDependencies['checkUrl'] | undefined
type Services = { webhooks: Webhooks; extras: EndpointExtras; portal: Portal }
type Change<T> = (services: Services) => Promise<T>

type Dependencies = Omit<WebhookDependencies, 'db'> & {
  db: Database
  newId: NewId
  audit: (tx: Db, orgId: string, entry: NewAuditEntry) => Promise<void>
}

export function createPortalEndpoints(deps: Dependencies): PortalEndpoints {
  const { db, sealer, clock, newId, audit } = deps
  const open = async (holder: PortalHolder, find: typeof findPortal = findPortal, on: Db = db) => {
    if (!hasPlan(holder.plan, 'starter')) throw forbidden('A Starter or higher plan is required')
    const portal = await find(on, holder.org_id, holder.portal_id)
    if (!portal) throw invalidPortalLink()
    return portal
  }
  const own = async (holder: PortalHolder, endpointId: string) => {
    const portal = await open(holder)
    const endpoint = await findEndpoint(db, holder.org_id, endpointId)
    if (endpoint?.portal_id !== portal.id) throw notFound()
    return { portal, url: endpoint.url }
  }
  return {
    open: async (holder) => await open(holder),
    own,
    ownDelivery: async (holder, deliveryId) => {
      await open(holder)
      const delivery = isUuid(deliveryId)
        ? await findDelivery(db, holder.org_id, deliveryId)
        : undefined
      if (!delivery) throw notFound()
      await own(holder, delivery.endpoint_id)
    },
    checked: async (url) => {
      if (url === undefined) return undefined
      const verdict = await deps.checkUrl(url)
      return () => Promise.resolve(verdict)
    },
    change: async (holder, { url, ...entry }, run) => {
      let isHinted = false
      const hint = () => {
        isHinted = true
      }
      const done = await db.transaction().execute(async (tx) => {
        const portal = await open(holder, lockPortal, tx)
        const checkUrl = url ?? deps.checkUrl
        const webhooks = createWebhooks({ db: tx, sealer, newId, clock, checkUrl, hint })
        const extras = createEndpointExtras({ db: tx, sealer, clock, hint })
        const result = await run({ webhooks, extras, portal })
        const at = clock.now()
        const { link_id, org_id } = holder
        const details = { ...entry.details, portal: portal.name, portal_link: link_id }
        await audit(tx, org_id, { id: newId(at), at, actor_user_id: null, ...entry, details })
        return result
      })
      if (isHinted) deps.hint()
      return done
    },
  }
}

/** @throws AppError 400 naming `field` */
export function requireScope(
  { events }: Pick<Portal, 'events'>,
  wanted: readonly EventType[] | undefined,
  field: string,
): void {
  const other = wanted?.find((type) => !events.includes(type))
  if (other !== undefined)
    throw invalidRequest(field, `${field}: ${other} is not part of this portal`)
}
