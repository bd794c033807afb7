/** Console routes for webhook endpoints: creation, health, statistics and replay. */
import { type Static, Type } from 'typebox'
import { readTime } from '../../platform/date-time.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { found } from '../../platform/http/found.ts'
import { choice, type Limits } from '../../platform/http/schemas.ts'
import { EVENT_TYPES } from '../events/index.ts'
import { describeEvents, sampleEvent } from './catalog.ts'
import { type EndpointExtras, extrasBody, previewBody } from './extras/service.ts'
import { HOURS_DEFAULT, hoursQuery, MEMBER, oneEndpoint } from './history/console.ts'
import type { ReplayRequest, WebhookOperations } from './operations.ts'
import { webhookSchemas } from './schema.ts'
import type { Webhooks } from './service.ts'

const SUBSCRIBER = { access: { member: 'member', plan: 'starter' }, rate_class: 'console' } as const

export type WebhookConsoleDependencies = {
  webhooks: Pick<Webhooks, 'create' | 'rollSecret' | 'sendTest'>
  extras: EndpointExtras
  operations: WebhookOperations
  field_limits: Limits
}

const REPLAYED = ['succeeded', 'failed', 'exhausted'] as const
const NOT_DELIVERED = ['failed', 'exhausted'] as const

const modeChoice = choice(['live', 'test'])
const modeBody = Type.Object({ mode: modeChoice })
const createBody = (limits: Limits) =>
  Type.Object({ ...webhookSchemas(limits).create.properties, mode: modeChoice })
const OVERLAP_HOURS_MAX = 168
export const rollBody = Type.Object({
  overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_HOURS_MAX })),
})
export const testBody = Type.Object({ type: choice(EVENT_TYPES) })
const time = () => Type.Optional(Type.String({ format: 'date-time' }))
export const replayBody = Type.Object({
  statuses: Type.Optional(Type.Array(choice(REPLAYED), { minItems: 1, maxItems: 3 })),
  from: time(),
  until: time(),
  after: Type.Optional(Type.String({ format: 'uuid' })),
})

export function webhookConsoleRoutes(app: App, deps: WebhookConsoleDependencies): void {
  const { webhooks, operations, field_limits } = deps
  extrasRoutes(app, deps)
  eventRoutes(app, deps)
  app.get('/console/api/webhooks', { config: MEMBER }, async ({ member }) =>
    envelope('Webhook endpoints', await operations.listHealth(member.org_id)),
  )

  // Takes the mode, so that a test endpoint never receives live events. The documented operation
  // creates live endpoints only.
  app.post(
    '/console/api/webhooks',
    { config: SUBSCRIBER, schema: { body: createBody(field_limits) } },
    async ({ member, body: { mode, ...endpoint } }) =>
      envelope(
        'Webhook endpoint created',
        await webhooks.create(member.org_id, endpoint, { mode }),
      ),
  )

  app.post(
    '/console/api/webhooks/:id/mode',
    { config: MEMBER, schema: { params: oneEndpoint, body: modeBody } },
    async ({ member, params, body }) =>
      envelope('Mode set', found(await operations.setMode(member.org_id, params.id, body.mode))),
  )

  app.get(
    '/console/api/webhooks/:id/statistics',
    { config: MEMBER, schema: { params: oneEndpoint, querystring: hoursQuery } },
    async ({ member, params, query: { hours = HOURS_DEFAULT } }) =>
      envelope('Deliveries', found(await operations.statistics(member.org_id, params.id, hours))),
  )

  app.post(
    '/console/api/webhooks/:id/replay',
    { config: MEMBER, schema: { params: oneEndpoint, body: replayBody } },
    async ({ member, params, body }) => {
      const replayed = await operations.replay(member.org_id, params.id, readReplay(body))
      return envelope('Deliveries queued', found(replayed))
    },
  )
}

function eventRoutes(app: App, { webhooks }: WebhookConsoleDependencies): void {
  app.get('/console/api/webhooks/events', { config: MEMBER }, () =>
    envelope('Events', describeEvents(app)),
  )

  app.post(
    '/console/api/webhooks/:id/test',
    { config: SUBSCRIBER, schema: { params: oneEndpoint, body: testBody } },
    async ({ member, params, body: { type } }) => {
      const sent = await webhooks.sendTest(member.org_id, params.id, sampleEvent(app, type))
      return envelope('Test event queued', found(sent))
    },
  )
}

/** Members that the documented API does not have. */
function extrasRoutes(app: App, { webhooks, extras }: WebhookConsoleDependencies): void {
  app.patch(
    '/console/api/webhooks/:id',
    { config: SUBSCRIBER, schema: { params: oneEndpoint, body: extrasBody } },
    async ({ member, params, body }) =>
      envelope('Endpoint changed', found(await extras.change(member.org_id, params.id, body))),
  )

  app.post(
    '/console/api/webhooks/preview',
    { config: SUBSCRIBER, schema: { body: previewBody } },
    async ({ member, body }) => envelope('Events', await extras.preview(member.org_id, body)),
  )

  app.post(
    '/console/api/webhooks/:id/roll-secret',
    { config: SUBSCRIBER, schema: { params: oneEndpoint, body: rollBody } },
    async ({ member, params, body: { overlap_hours = 0 } }) =>
      envelope(
        'Secret rolled',
        found(await webhooks.rollSecret(member.org_id, params.id, overlap_hours)),
      ),
  )
}

/** @throws AppError 400 naming the time */
export const readReplay = ({
  statuses,
  from,
  until,
  after,
}: Static<typeof replayBody>): ReplayRequest => ({
  statuses: statuses ?? NOT_DELIVERED,
  from: timeOf('from', from),
  until: timeOf('until', until),
  after,
})

const timeOf = (field: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : readTime(text, field)
