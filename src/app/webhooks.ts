/** Webhook endpoints, their deliveries, customer portals, and the retention of events. */
import { expireEvents } from '../modules/events/index.ts'
import {
  createPortalEndpoints,
  createPortalLinks,
  createPortals,
  type PortalLinks,
  type Portals,
  portalConsoleRoutes,
  portalLinkRoutes,
  portalRoutes,
  sweepLinks,
} from '../modules/portals/index.ts'
import {
  createEndpointExtras,
  createWebhookDispatcher,
  createWebhookHistory,
  createWebhookOperations,
  createWebhooks,
  expireDeliveries,
  readWebhookBacklog,
  sweepDeletedEndpoints,
  type WebhookOperations,
  type Webhooks,
  webhookConsoleRoutes,
  webhookHistoryRoutes,
  webhookRoutes,
} from '../modules/webhooks/index.ts'
import { cached } from '../platform/cached.ts'
import { durationMs } from '../platform/dispatch/index.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { GuardedPost } from '../platform/net/guarded-post.ts'
import { HOUR_MS } from '../platform/time-units.ts'
import { type Core, inMain, pick } from './core.ts'
import { openGuardedPost } from './guarded-post.ts'
import { siteOf } from './mail.ts'
import { countedSweep, daysBefore, expirySweeps, type Part, secondsSince } from './part.ts'

export type WebhooksPart = Part & {
  webhooks: Webhooks
  webhook_operations: WebhookOperations
  portals: Portals
  portal_links: PortalLinks
  /** Notifies the dispatcher of this process of committed events, which saves waiting for a poll. */
  hint: () => void
}

const GAUGES_EVERY_MS = 10_000
/** Links to portals are listed as expired for this long. */
const EXPIRED_LINK_DAYS = 30

export function createWebhooksPart(core: Core): WebhooksPart {
  const { db, directory, sealer, newId, clock, config } = core
  const post = openGuardedPost(core)
  const dispatcher = createDispatcher(core, post)
  const hint = core.relay('webhooks', dispatcher.hint)
  const endpointDeps = { db, sealer, newId, clock, checkUrl: post.check, hint }
  const webhooks = createWebhooks(endpointDeps)
  const webhook_operations = createWebhookOperations({ db, clock, hint })
  const extras = createEndpointExtras({ db, sealer, clock, hint })
  const webhook_history = createWebhookHistory({ db, clock })
  const { audit } = core.directoryWriters
  const portal_links = createPortalLinks({ directory, clock, newId, site: siteOf(config) })
  const portals = createPortals({ db, directory, clock, newId, audit, links: portal_links })
  return {
    webhooks,
    webhook_operations,
    portals,
    portal_links,
    hint,
    routes: (app) => {
      const field_limits = pick(config, 'text_max_chars')
      webhookRoutes(app, { webhooks, field_limits })
      webhookConsoleRoutes(app, { webhooks, operations: webhook_operations, extras, field_limits })
      webhookHistoryRoutes(app, { webhook_history })
      portalConsoleRoutes(app, { portals, links: portal_links })
      portalLinkRoutes(app, { portals, links: portal_links })
      portalRoutes(app, {
        endpoints: createPortalEndpoints({ ...endpointDeps, audit }),
        operations: webhook_operations,
        history: webhook_history,
        field_limits,
      })
    },
    dispatchers: [
      {
        start: dispatcher.start,
        stop: async (drainMs) => {
          await dispatcher.stop(drainMs)
          await post.close()
        },
      },
    ],
    sweeps: (now) => [
      ...expirySweeps(now, config.event_retention_days, 'events', (before) =>
        expireEvents(db, before),
      ),
      ...expirySweeps(now, config.delivery_retention_days, 'webhook deliveries', (before) =>
        expireDeliveries(db, before),
      ),
      countedSweep('deleted webhook endpoints', () => sweepDeletedEndpoints(db)),
      ...inMain(core, [
        countedSweep('portal links', () =>
          sweepLinks(directory, daysBefore(now, EXPIRED_LINK_DAYS)),
        ),
      ]),
    ],
    gauges: [backlogGauges(core)],
  }
}

const createDispatcher = (
  { db, sealer, newId, clock, log, config, metrics, tracing }: Core,
  { post }: GuardedPost,
) =>
  createWebhookDispatcher({
    db,
    sealer,
    newId,
    clock,
    log,
    post,
    deadline_ms: config.webhook_deadline_ms,
    retry_schedule_ms: config.webhook_retry_schedule.map((text) => durationMs(text) ?? 0),
    pause_after_ms: config.webhook_pause_after_hours * HOUR_MS || null,
    in_flight_max: config.webhook_in_flight_max,
    per_endpoint_max: config.webhook_endpoint_in_flight_max,
    per_host_max: config.webhook_host_in_flight_max,
    poll_ms: config.webhook_poll_ms,
    tracing,
    observe: (verdict) => metrics.countAttempt('webhook', verdict),
  })

function backlogGauges({ db, clock }: Core): GaugeOptions<string> {
  const backlog = cached(() => readWebhookBacklog(db, clock.now()), GAUGES_EVERY_MS)
  return {
    gauges: {
      vigil_webhooks_waiting: 'Webhook deliveries that are due, counted up to 10,000',
      vigil_webhooks_oldest_seconds: 'Time for which the oldest of an active endpoint has been due',
      vigil_webhooks_paused: 'Endpoints that were paused because they fail or no longer exist',
    },
    read: async () => {
      const { waiting, oldest_due_at, paused } = await backlog()
      const values = {
        vigil_webhooks_waiting: waiting,
        vigil_webhooks_oldest_seconds: secondsSince(oldest_due_at, clock.now()),
        vigil_webhooks_paused: paused,
      }
      return [{ values }]
    },
  }
}
