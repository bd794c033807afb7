import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import { webhookSchemas } from './schema.ts'
import type { Webhooks } from './service.ts'

/** Specification, "Webhooks". */
export type WebhookRouteDependencies = {
  webhooks: Webhooks
  field_limits: Limits
}

const LISTED = 'Webhook endpoints'
const FOUND = 'Webhook endpoint'
const CREATED = 'Webhook endpoint created; its secret will not be shown again'
const UPDATED = 'Webhook endpoint updated'
const DELETED = 'Webhook endpoint deleted'
const ROLLED = 'Secret rolled; the new one will not be shown again'
const DELIVERIES = 'Deliveries'
const TESTED = 'Test event queued'
const RETRIED = 'Delivery queued'

const MEMBER = {
  access: { member: 'member', plan: 'starter', others: 403 },
  rate_class: 'console',
} as const

const operation = <Parts extends object>(operationId: string, summary: string, parts: Parts) => ({
  config: MEMBER,
  schema: { operationId, summary, tags: ['Webhooks'], ...parts },
})

export function webhookRoutes(app: App, deps: WebhookRouteDependencies): void {
  const schemas = webhookSchemas(deps.field_limits)
  endpointRoutes(app, deps, schemas)
  secretRoutes(app, deps, schemas)
  deliveryRoutes(app, deps, schemas)
}

type Schemas = ReturnType<typeof webhookSchemas>

function endpointRoutes(app: App, { webhooks }: WebhookRouteDependencies, schemas: Schemas): void {
  app.get(
    '/v1/webhooks',
    operation('listWebhooks', 'List the webhook endpoints of an organization', {
      'x-open-point': 'OP-27',
      response: responses(schemas.endpoints, LISTED),
    }),
    async ({ member }) => envelope(LISTED, await webhooks.list(member.org_id)),
  )

  app.get(
    '/v1/webhooks/:id',
    operation('getWebhook', 'Get a webhook endpoint', {
      'x-open-point': 'OP-27, OP-38',
      params: schemas.endpointId,
      response: responses(schemas.endpoint, FOUND),
    }),
    async ({ member, params }) =>
      envelope(FOUND, found(await webhooks.find(member.org_id, params.id))),
  )

  app.patch(
    '/v1/webhooks/:id',
    operation('updateWebhook', 'Change, pause or resume a webhook endpoint', {
      'x-open-point': 'OP-18, OP-27, OP-37, OP-38, OP-57, OP-59',
      params: schemas.endpointId,
      body: schemas.update,
      response: responses(schemas.endpoint, UPDATED),
    }),
    async ({ member, params, body }) =>
      envelope(UPDATED, found(await webhooks.update(member.org_id, params.id, body))),
  )

  app.delete(
    '/v1/webhooks/:id',
    operation('deleteWebhook', 'Delete a webhook endpoint with its deliveries', {
      'x-open-point': 'OP-38, OP-61',
      params: schemas.endpointId,
      response: responses(schemas.nothing, DELETED),
    }),
    async ({ member, params }) => {
      if (!(await webhooks.remove(member.org_id, params.id))) throw notFound()
      return envelope(DELETED, {})
    },
  )
}

function secretRoutes(app: App, { webhooks }: WebhookRouteDependencies, schemas: Schemas): void {
  app.post(
    '/v1/webhooks',
    operation('createWebhook', 'Create a webhook endpoint; its signing secret is shown once', {
      'x-open-point': 'OP-18, OP-27, OP-37, OP-55, OP-59, OP-60',
      body: schemas.create,
      response: responses(schemas.endpointWithSecret, CREATED),
    }),
    async ({ member, body }) => envelope(CREATED, await webhooks.create(member.org_id, body)),
  )

  app.post(
    '/v1/webhooks/:id/roll-secret',
    operation('rollWebhookSecret', 'Replace the signing secret; the new one is shown once', {
      'x-open-point': 'OP-27, OP-37, OP-38, OP-58',
      params: schemas.endpointId,
      response: responses(schemas.endpointWithSecret, ROLLED),
    }),
    async ({ member, params }) =>
      envelope(ROLLED, found(await webhooks.rollSecret(member.org_id, params.id))),
  )
}

function deliveryRoutes(app: App, { webhooks }: WebhookRouteDependencies, schemas: Schemas): void {
  app.get(
    '/v1/webhooks/:id/deliveries',
    operation(
      'listWebhookDeliveries',
      'List the newest deliveries of an endpoint, each with its last attempt',
      {
        'x-open-point': 'OP-25, OP-38, OP-60, OP-61',
        params: schemas.endpointId,
        response: responses(schemas.deliveries, DELIVERIES),
      },
    ),
    async ({ member, params }) =>
      envelope(DELIVERIES, found(await webhooks.listDeliveries(member.org_id, params.id))),
  )

  app.post(
    '/v1/webhooks/:id/test',
    operation('testWebhook', 'Queue a test `email.check.completed` event for this endpoint only', {
      'x-open-point': 'OP-25, OP-37, OP-38, OP-55, OP-56',
      params: schemas.endpointId,
      response: responses(schemas.delivery, TESTED),
    }),
    async ({ member, params }) =>
      envelope(TESTED, found(await webhooks.sendTest(member.org_id, params.id))),
  )

  app.post(
    '/v1/webhooks/deliveries/:deliveryId/retry',
    operation('retryWebhookDelivery', 'Retry a failed or exhausted delivery now', {
      'x-open-point': 'OP-25, OP-26, OP-37, OP-38',
      params: schemas.deliveryId,
      response: responses(schemas.delivery, RETRIED),
    }),
    async ({ member, params }) =>
      envelope(RETRIED, found(await webhooks.retry(member.org_id, params.deliveryId))),
  )
}
