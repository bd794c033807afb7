/** The wiring of the operator's console: its API and its pages. A part of the diagram in app.ts. */
import { join } from 'node:path'
import type { Services } from './app.ts'
import type { Config } from './config.ts'
import { cashierConsoleRoutes } from './console-api/cashiers/routes.ts'
import { checkConsoleRoutes } from './console-api/checks/routes.ts'
import { homeRoutes } from './console-api/home/routes.ts'
import { orderConsoleRoutes } from './console-api/orders/routes.ts'
import { pushOverviewRoutes } from './console-api/push/overview.ts'
import { consoleRoutes } from './console-api/routes.ts'
import { rulesConsoleRoutes } from './console-api/rules/routes.ts'
import { webhookHistoryRoutes } from './console-api/webhook-history.ts'
import { deviceManagementConsole } from './device-management.ts'
import { createAttention } from './modules/attention/index.ts'
import { createAuditLog } from './modules/audit/index.ts'
import { type CashierReadings, createCashierReadings } from './modules/cashier/index.ts'
import { createCheckReading } from './modules/checks/index.ts'
import { createOrderReading, findExplainedOrders } from './modules/orders/index.ts'
import { createPushOverview } from './modules/push/index.ts'
import { createRequestReading } from './modules/requests/index.ts'
import { createWebhookHistory } from './modules/webhooks/index.ts'
import { installationSecret } from './platform/crypto/installation-secrets.ts'
import { createKeyedHash } from './platform/crypto/keyed-hash.ts'
import type { RateClass } from './platform/http/access.ts'
import type { App } from './platform/http/app.ts'
import { servePages } from './platform/http/pages.ts'
import type { RateLimits } from './platform/http/rate-limit.ts'
import { packageRoot } from './platform/package-root.ts'
import { createStateId, type StateId } from './platform/states/index.ts'
import type { Stores } from './stores.ts'

export type ConsoleWiring = {
  stores: Stores
  services: Services
  config: Config
  limits: RateLimits<RateClass>
  /** Folder of the built console; that of the package when left out. */
  pages?: string | undefined
}

export async function consoleSide(app: App, wiring: ConsoleWiring): Promise<void> {
  const {
    stores,
    services,
    config,
    limits,
    pages = join(packageRoot(), 'build', 'console'),
  } = wiring
  const { accounts } = services
  consoleRoutes(app, {
    ...services,
    limits,
    clock: stores.clock,
    audit_log: createAuditLog(stores),
    request_reading: createRequestReading(stores),
    public_url: config.public_url,
    refresh_token_days: config.refresh_token_days,
    field_limits: config,
  })
  cashierConsoleRoutes(app, { accounts, cashier_readings: await cashierReadings(stores) })
  await caseRoutes(app, wiring)
  rulesConsoleRoutes(app, services)
  const { volumes } = services
  const attention = createAttention({ ...stores, ...services, ...config })
  homeRoutes(app, { accounts, attention, volumes })
  const webhook_history = createWebhookHistory(stores)
  webhookHistoryRoutes(app, { accounts, webhook_history })
  pushOverviewRoutes(app, { accounts, push_overview: createPushOverview(stores) })
  deviceManagementConsole(app, stores, services, config)
  await servePages(app, { prefix: '/console', folder: pages })
}

/** What people look into to understand a case: checks, orders and profiles. */
async function caseRoutes(app: App, { stores, services, config }: ConsoleWiring): Promise<void> {
  const { db, clock } = stores
  const { accounts, checks, phone } = services
  const check_reading = createCheckReading({ db })
  checkConsoleRoutes(app, { accounts, checks, check_reading, phone, clock, field_limits: config })
  const order_reading = createOrderReading({
    db,
    clock,
    stateId: await stateIdOf(stores),
    members: accounts.listMembers,
  })
  orderConsoleRoutes(app, { accounts, order_reading })
}

const HASH_SECRET_BYTES = 32

/** States lie under ids that are made with the secret of the installation. */
async function stateIdOf({ db, sealer }: Stores): Promise<StateId> {
  const secret = await installationSecret(db, sealer, 'identity_hash', HASH_SECRET_BYTES)
  return createStateId(createKeyedHash(secret))
}

async function cashierReadings(stores: Stores): Promise<CashierReadings> {
  const { db, clock } = stores
  return createCashierReadings({
    db,
    clock,
    stateId: await stateIdOf(stores),
    findOrderId: async (handle, owner, name) => {
      const orders = await findExplainedOrders(handle, name, owner)
      return orders.find(({ order }) => order.request.external_order_id === name)?.order.id
    },
  })
}
