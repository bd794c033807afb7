import type { FastifyRequest } from 'fastify'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope, responses } from '../../platform/http/envelope.ts'
import { forbidden, notFound } from '../../platform/http/errors.ts'
import type { Limits } from '../../platform/http/schemas.ts'
import { type Accounts, hasPlan } from '../accounts/index.ts'
import { webhookSchemas } from './schema.ts'
import type { Webhooks } from './service.ts'

/** Specification, "Webhooks". */
export type WebhookRouteDependencies = {
  accounts: Pick<Accounts, 'membership'>
  webhooks: Webhooks
  field_limits: Limits
}

const LISTED = 'Webhook endpoints'
const FOUND = 'Webhook endpoint'
const CREATED = 'Webhook endpoint created; its secret is not shown again'
const UPDATED = 'Webhook endpoint updated'
const DELETED = 'Webhook endpoint deleted'
const ROLLED = 'Secret rolled; the new one is not shown again'
const DELIVERIES = 'Deliveries'
const TESTED = 'Test event queued'
const RETRIED = 'Delivery queued'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['Webhooks']

export function webhookRoutes(app: App, deps: WebhookRouteDependencies): void {
  const schemas = webhookSchemas(deps.field_limits)
  endpointRoutes(app, deps, schemas)
  secretRoutes(app, deps, schemas)
  deliveryRoutes(app, deps, schemas)
}

type Schemas = ReturnType<typeof webhookSchemas>

function endpointRoutes(app: App, deps: WebhookRouteDependencies, schemas: Schemas): void {
  const { webhooks } = deps

  app.get(
    '/v1/webhooks',
    {
      config,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhook endpoints of an organisation',
        tags,
        'x-open-point': 'OP-27',
        querystring: schemas.inOrganization,
        response: responses(schemas.endpoints, LISTED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requirePlan(deps, request, org_id)
      return envelope(LISTED, await webhooks.list(org_id))
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      config,
      schema: {
        operationId: 'getWebhook',
        summary: 'Read one webhook endpoint',
        tags,
        'x-open-point': 'OP-27, OP-38',
        params: schemas.endpointId,
        querystring: schemas.inOrganization,
        response: responses(schemas.endpoint, FOUND),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requirePlan(deps, request, org_id)
      return envelope(FOUND, found(await webhooks.find(org_id, request.params.id)))
    },
  )

  app.patch(
    '/v1/webhooks/:id',
    {
      config,
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change, pause or resume a webhook endpoint',
        tags,
        'x-open-point': 'OP-18, OP-27, OP-37, OP-38, OP-57, OP-59',
        params: schemas.endpointId,
        body: schemas.update,
        response: responses(schemas.endpoint, UPDATED),
      },
    },
    async (request) => {
      await requirePlan(deps, request, request.body.org_id)
      return envelope(UPDATED, found(await webhooks.update(request.params.id, request.body)))
    },
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      config,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook endpoint with its deliveries',
        tags,
        'x-open-point': 'OP-38, OP-61',
        params: schemas.endpointId,
        querystring: schemas.inOrganization,
        response: responses(schemas.nothing, DELETED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requirePlan(deps, request, org_id)
      if (!(await webhooks.remove(org_id, request.params.id))) throw notFound()
      return envelope(DELETED, {})
    },
  )
}

function secretRoutes(app: App, deps: WebhookRouteDependencies, schemas: Schemas): void {
  const { webhooks } = deps

  app.post(
    '/v1/webhooks',
    {
      config,
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook endpoint; its signing secret is shown once',
        tags,
        'x-open-point': 'OP-18, OP-27, OP-37, OP-55, OP-59, OP-60',
        body: schemas.create,
        response: responses(schemas.endpointWithSecret, CREATED),
      },
    },
    async (request) => {
      await requirePlan(deps, request, request.body.org_id)
      return envelope(CREATED, await webhooks.create(request.body))
    },
  )

  app.post(
    '/v1/webhooks/:id/roll-secret',
    {
      config,
      schema: {
        operationId: 'rollWebhookSecret',
        summary: 'Replace the signing secret at once; the new one is shown once',
        tags,
        'x-open-point': 'OP-27, OP-37, OP-38, OP-58',
        params: schemas.endpointId,
        body: schemas.organization,
        response: responses(schemas.endpointWithSecret, ROLLED),
      },
    },
    async (request) => {
      const { org_id } = request.body
      await requirePlan(deps, request, org_id)
      return envelope(ROLLED, found(await webhooks.rollSecret(org_id, request.params.id)))
    },
  )
}

function deliveryRoutes(app: App, deps: WebhookRouteDependencies, schemas: Schemas): void {
  const { webhooks } = deps

  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config,
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'The newest deliveries of an endpoint, each with its last attempt',
        tags,
        'x-open-point': 'OP-25, OP-38, OP-60, OP-61',
        params: schemas.endpointId,
        querystring: schemas.inOrganization,
        response: responses(schemas.deliveries, DELIVERIES),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requirePlan(deps, request, org_id)
      return envelope(DELIVERIES, found(await webhooks.listDeliveries(org_id, request.params.id)))
    },
  )

  app.post(
    '/v1/webhooks/:id/test',
    {
      config,
      schema: {
        operationId: 'testWebhook',
        summary: 'Queue a test `email.check.completed` event for this endpoint alone',
        tags,
        'x-open-point': 'OP-25, OP-37, OP-38, OP-55, OP-56',
        params: schemas.endpointId,
        body: schemas.organization,
        response: responses(schemas.delivery, TESTED),
      },
    },
    async (request) => {
      const { org_id } = request.body
      await requirePlan(deps, request, org_id)
      return envelope(TESTED, found(await webhooks.sendTest(org_id, request.params.id)))
    },
  )

  app.post(
    '/v1/webhooks/deliveries/:deliveryId/retry',
    {
      config,
      schema: {
        operationId: 'retryWebhookDelivery',
        summary: 'Try a failed or exhausted delivery again now',
        tags,
        'x-open-point': 'OP-25, OP-26, OP-37, OP-38',
        params: schemas.deliveryId,
        body: schemas.organization,
        response: responses(schemas.delivery, RETRIED),
      },
    },
    async (request) => {
      const { org_id } = request.body
      await requirePlan(deps, request, org_id)
      return envelope(RETRIED, found(await webhooks.retry(org_id, request.params.deliveryId)))
    },
  )
}

/** Specification, Authentication 7. The same answer for organisations that do not exist. */
async function requirePlan(
  { accounts }: WebhookRouteDependencies,
  request: FastifyRequest,
  orgId: string,
): Promise<void> {
  const membership = await accounts.membership(userOf(request).user_id, orgId)
  if (!membership) throw forbidden('Members of the organization only')
  if (!hasPlan(membership.plan, 'starter')) throw forbidden('A Starter or higher plan is required')
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw notFound()
  return row
}
