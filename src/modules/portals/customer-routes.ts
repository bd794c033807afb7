/**
 * The page of a portal. Its operations are those of the console about endpoints, below another path and for the
 * endpoints of one portal, so that the same pages of the console work in both places.
 */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { readCursorQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import {
  deliveriesQuery,
  describeEvents,
  extrasBody,
  HOURS_DEFAULT,
  hoursQuery,
  oneDelivery,
  oneEndpoint,
  readReplay,
  replayBody,
  rollBody,
  sampleEvent,
  testBody,
  type WebhookHistory,
  type WebhookOperations,
  webhookSchemas,
} from '../webhooks/index.ts'
import { type PortalEndpoints, requireScope } from './endpoints.ts'
import type { OpenPortal } from './schema.ts'

export type PortalRouteDependencies = {
  endpoints: PortalEndpoints
  operations: WebhookOperations
  history: WebhookHistory
  field_limits: Limits
}

const HOLDER = { access: 'portal_link', rate_class: 'console' } as const
const BASE = '/console/api/portal'
const ENDPOINTS = `${BASE}/webhooks`
const ONE = `${ENDPOINTS}/:id`

export function portalRoutes(app: App, deps: PortalRouteDependencies): void {
  const { endpoints } = deps
  app.get(BASE, { config: HOLDER }, async ({ portal_holder }) => {
    const { id, name, mode, events, endpoints_max } = await endpoints.open(portal_holder)
    const { expires_at } = portal_holder
    const opened: OpenPortal = { id, name, mode, events, endpoints_max, expires_at }
    return envelope('Portal', opened)
  })

  app.get(`${ENDPOINTS}/events`, { config: HOLDER }, async ({ portal_holder }) => {
    const { events } = await endpoints.open(portal_holder)
    return envelope(
      'Events',
      describeEvents(app).filter(({ type }) => events.includes(type)),
    )
  })
  readingRoutes(app, deps)
  changingRoutes(app, deps)
  sendingRoutes(app, deps)
}

function readingRoutes(app: App, { endpoints, operations, history }: PortalRouteDependencies) {
  app.get(ENDPOINTS, { config: HOLDER }, async ({ portal_holder }) => {
    const { id } = await endpoints.open(portal_holder)
    return envelope('Webhook endpoints', await operations.listHealth(portal_holder.org_id, id))
  })

  const counted = { config: HOLDER, schema: { querystring: hoursQuery } }
  app.get(`${ENDPOINTS}/rates`, counted, async ({ portal_holder, query }) => {
    const { id } = await endpoints.open(portal_holder)
    const { hours = HOURS_DEFAULT } = query
    return envelope('Rates', await history.rates(portal_holder.org_id, hours, id))
  })

  const ofOne = { config: HOLDER, schema: { params: oneEndpoint, querystring: hoursQuery } }
  app.get(`${ONE}/statistics`, ofOne, async ({ portal_holder, params, query }) => {
    await endpoints.own(portal_holder, params.id)
    const { hours = HOURS_DEFAULT } = query
    const read = await operations.statistics(portal_holder.org_id, params.id, hours)
    return envelope('Deliveries', found(read))
  })
  app.get(`${ONE}/series`, ofOne, async ({ portal_holder, params, query }) => {
    await endpoints.own(portal_holder, params.id)
    const { hours = HOURS_DEFAULT } = query
    return envelope('Series', found(await history.series(portal_holder.org_id, params.id, hours)))
  })

  const listed = { config: HOLDER, schema: { params: oneEndpoint, querystring: deliveriesQuery } }
  app.get(`${ONE}/deliveries`, listed, async ({ portal_holder, params, query }) => {
    await endpoints.own(portal_holder, params.id)
    const { status, event_type, ...walk } = query
    const filters = { ...readCursorQuery(walk), status, event_type }
    const page = await history.list(portal_holder.org_id, params.id, filters)
    return envelope('Deliveries', found(page))
  })

  const one = { config: HOLDER, schema: { params: oneDelivery } }
  app.get(`${ONE}/deliveries/:delivery_id`, one, async ({ portal_holder, params }) => {
    const { id, delivery_id } = params
    await endpoints.own(portal_holder, id)
    return envelope('Delivery', found(await history.find(portal_holder.org_id, id, delivery_id)))
  })
}

function changingRoutes(app: App, { endpoints, field_limits }: PortalRouteDependencies): void {
  const { create, update } = webhookSchemas(field_limits)
  const adding = { config: HOLDER, schema: { body: Type.Object(create.properties) } }
  app.post(ENDPOINTS, adding, async ({ portal_holder, body }) => {
    requireScope(await endpoints.open(portal_holder), body.events, 'events')
    const url = await endpoints.checked(body.url)
    const { events } = body
    const entry = { action: 'webhook.created', target: body.url, details: { events }, url }
    const created = await endpoints.change(portal_holder, entry, ({ webhooks, portal }) =>
      webhooks.create(portal_holder.org_id, body, { mode: portal.mode, portal }),
    )
    return envelope('Webhook endpoint created', created)
  })

  const changed = Type.Object({ ...update.properties, ...extrasBody.properties })
  const changing = { config: HOLDER, schema: { params: oneEndpoint, body: changed } }
  app.patch(ONE, changing, async ({ portal_holder, params: { id }, body }) => {
    const { portal, url: target } = await endpoints.own(portal_holder, id)
    requireScope(portal, body.events, 'events')
    const entry = { action: 'webhook.changed', target, details: detailsOf(body) }
    const url = await endpoints.checked(body.url)
    const health = await endpoints.change(portal_holder, { ...entry, url }, async (services) => {
      found(await services.webhooks.update(portal_holder.org_id, id, body))
      return await services.extras.change(portal_holder.org_id, id, body)
    })
    return envelope('Webhook endpoint changed', found(health))
  })

  const one = { config: HOLDER, schema: { params: oneEndpoint } }
  app.delete(ONE, one, async ({ portal_holder, params: { id } }) => {
    const { url: target } = await endpoints.own(portal_holder, id)
    const entry = { action: 'webhook.deleted', target }
    await endpoints.change(portal_holder, entry, async ({ webhooks }) => {
      if (!(await webhooks.remove(portal_holder.org_id, id))) throw notFound()
    })
    return envelope('Webhook endpoint deleted', {})
  })

  const rolling = { config: HOLDER, schema: { params: oneEndpoint, body: rollBody } }
  app.post(`${ONE}/roll-secret`, rolling, async ({ portal_holder, params: { id }, body }) => {
    const { url: target } = await endpoints.own(portal_holder, id)
    const { overlap_hours = 0 } = body
    const entry = { action: 'webhook.secret_rolled', target, details: { overlap_hours } }
    const rolled = await endpoints.change(portal_holder, entry, async ({ webhooks }) =>
      found(await webhooks.rollSecret(portal_holder.org_id, id, overlap_hours)),
    )
    return envelope('Secret rolled', rolled)
  })
}

function sendingRoutes(app: App, deps: PortalRouteDependencies): void {
  const { endpoints, operations } = deps
  const testing = { config: HOLDER, schema: { params: oneEndpoint, body: testBody } }
  app.post(`${ONE}/test`, testing, async ({ portal_holder, params: { id }, body: { type } }) => {
    const { portal, url: target } = await endpoints.own(portal_holder, id)
    requireScope(portal, [type], 'type')
    const entry = { action: 'webhook.tested', target, details: { type } }
    const sent = await endpoints.change(portal_holder, entry, async ({ webhooks }) =>
      found(await webhooks.sendTest(portal_holder.org_id, id, sampleEvent(app, type))),
    )
    return envelope('Test event queued', sent)
  })

  const replaying = { config: HOLDER, schema: { params: oneEndpoint, body: replayBody } }
  app.post(`${ONE}/replay`, replaying, async ({ portal_holder, params: { id }, body }) => {
    const { url: target } = await endpoints.own(portal_holder, id)
    const request = readReplay(body)
    const replayed = await operations.replay(portal_holder.org_id, id, request)
    // Written afterwards: a replay can take long, and audit entries wait for no lock of deliveries.
    const entry = { action: 'webhook.replayed', target, details: { ...request } }
    await endpoints.change(portal_holder, entry, () => Promise.resolve())
    return envelope('Deliveries queued', found(replayed))
  })

  const retrying = {
    config: HOLDER,
    schema: { params: Type.Object({ delivery_id: Type.String() }) },
  }
  app.post(
    `${ENDPOINTS}/deliveries/:delivery_id/retry`,
    retrying,
    async ({ portal_holder, params: { delivery_id } }) => {
      await endpoints.ownDelivery(portal_holder, delivery_id)
      const entry = { action: 'webhook.retried', target: delivery_id }
      const queued = await endpoints.change(portal_holder, entry, async ({ webhooks }) =>
        found(await webhooks.retry(portal_holder.org_id, delivery_id)),
      )
      return envelope('Delivery queued', queued)
    },
  )
}

/** Values of headers are secrets. */
const detailsOf = ({ headers, ...rest }: Static<typeof extrasBody>): Record<string, unknown> => ({
  ...rest,
  ...(headers && { headers: headers.map(({ name }) => name) }),
})
