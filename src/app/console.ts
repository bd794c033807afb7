/** The console: the readings of its home page, and the files that browsers load. */
import { join } from 'node:path'
import { findMembersByPart } from '../modules/accounts/index.ts'
import { findApplicationsByPart } from '../modules/applications/index.ts'
import { attentionRoutes, createAttention } from '../modules/attention/index.ts'
import { cashierFinder, findActionsByPart } from '../modules/cashier/index.ts'
import { MAIN_CELL } from '../modules/cells/index.ts'
import { findChecksByPart } from '../modules/checks/index.ts'
import { entryFinder, findEdgeDevicesByPart } from '../modules/edge/index.ts'
import { findKeysByPart } from '../modules/keys/index.ts'
import { findGroupsAndPoliciesByPart, findManagedDevicesByPart } from '../modules/mdm/index.ts'
import { findOrdersByPart, findProfilesByPart } from '../modules/orders/index.ts'
import { findPortal, findPortalOf } from '../modules/portals/index.ts'
import { createSearch, searchRoutes } from '../modules/search/index.ts'
import {
  findDeliveriesByPart,
  findEndpointsByPart,
  readDeliveryRates,
} from '../modules/webhooks/index.ts'
import { servePages } from '../platform/http/pages.ts'
import { packageRoot } from '../platform/package-root.ts'
import type { AccountsPart } from './accounts.ts'
import type { Core } from './core.ts'
import type { Part } from './part.ts'

export function createConsolePart(
  core: Core,
  { billing, low_balance, volumes, priceOf }: AccountsPart,
): Part {
  const { directory, db, clock, config, outside } = core
  return {
    routes: async (app) => {
      const { credits_required } = config
      const attention = createAttention({
        directory,
        db,
        clock,
        billing,
        low_balance,
        volumes,
        readDeliveryRates,
        credits_required,
      })
      attentionRoutes(app, { attention, clock, priceOf })
      searchRoutes(app, { search: searchOf(core) })
      if (core.cell !== MAIN_CELL) return
      const folder = outside.pages ?? join(packageRoot(), 'build', 'console')
      await servePages(app, { prefix: '/console', folder, framersOf: framersOf(core) })
    },
  }
}

const PORTAL_PAGE = /^portal\/(?<link>[\w-]+)(?:\/|$)/

/** The page of a link may be framed by the origins of its portal, also when the link has ended, to say so. */
const framersOf =
  ({ directory, db, cells }: Core) =>
  async (path: string): Promise<readonly string[] | undefined> => {
    const { link } = PORTAL_PAGE.exec(path)?.groups ?? {}
    const place = link === undefined ? undefined : await findPortalOf(directory, link)
    if (!place) return undefined
    const own = place.cell === MAIN_CELL ? db : cells.find(({ name }) => name === place.cell)?.db
    const portal = own && (await findPortal(own, place.org_id, place.portal_id))
    return portal?.allowed_origins
  }

const searchOf = ({ directory, db, stateId, analytics }: Core) =>
  createSearch({
    orders: { db, find: findOrdersByPart },
    profiles: { db, find: findProfilesByPart },
    checks: { db, find: findChecksByPart },
    cashiers: { db, find: cashierFinder(stateId) },
    cashier_actions: { db, find: findActionsByPart },
    edge_devices: { db, find: findEdgeDevicesByPart },
    managed_devices: { db, find: findManagedDevicesByPart },
    groups_and_policies: { db, find: findGroupsAndPoliciesByPart },
    endpoints: { db, find: findEndpointsByPart, plan: 'starter' },
    deliveries: { db, find: findDeliveriesByPart, plan: 'starter' },
    applications: { db, find: findApplicationsByPart },
    members: { db: directory, find: findMembersByPart },
    keys: { db: directory, find: findKeysByPart, role: 'admin' },
    logs: { db, find: entryFinder(analytics.clickhouse) },
  })
