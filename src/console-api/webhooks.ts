/** Making, health, statistics and replay of webhook endpoints, for members of an organisation. */
import { Type } from 'typebox'
import { hasPlan, type Members, requireMember } from '../modules/accounts/index.ts'
import { type WebhookOperations, type Webhooks, webhookSchemas } from '../modules/webhooks/index.ts'
import { userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { envelope } from '../platform/http/envelope.ts'
import { forbidden, invalidRequest } from '../platform/http/errors.ts'
import { choice, type Limits } from '../platform/http/schemas.ts'
import { found } from './found.ts'

export type WebhookConsoleDependencies = {
  accounts: Members
  webhooks: Pick<Webhooks, 'create'>
  operations: WebhookOperations
  field_limits: Limits
}

const HOURS_DEFAULT = 24
const HOURS_MAX = 24 * 90
const REPLAYED = ['succeeded', 'failed', 'exhausted'] as const
const NOT_DELIVERED = ['failed', 'exhausted'] as const

const oneEndpoint = Type.Object({ id: Type.String() })
const ofOrganization = Type.Object({ org_id: Type.String() })
const statisticsQuery = Type.Object({
  org_id: Type.String(),
  hours: Type.Optional(Type.Integer({ minimum: 1, maximum: HOURS_MAX })),
})
const whichMode = choice(['live', 'test'])
const modeBody = Type.Object({ org_id: Type.String(), mode: whichMode })
const createBody = (limits: Limits) =>
  Type.Object({ ...webhookSchemas(limits).create.properties, mode: whichMode })
const time = () => Type.Optional(Type.String({ format: 'date-time' }))
const replayBody = Type.Object({
  org_id: Type.String(),
  statuses: Type.Optional(Type.Array(choice(REPLAYED), { minItems: 1, maxItems: 3 })),
  from: time(),
  until: time(),
  after: Type.Optional(Type.String({ format: 'uuid' })),
})

export function webhookConsoleRoutes(app: App, deps: WebhookConsoleDependencies): void {
  const { accounts, webhooks, operations, field_limits } = deps
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/webhooks',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Webhook endpoints', await operations.listHealth(org_id))
    },
  )

  // Of the mode that it is for from the first event on: the documented operation makes live ones.
  app.post(
    '/console/api/webhooks',
    { config, schema: { body: createBody(field_limits) } },
    async (request) => {
      const { mode, ...endpoint } = request.body
      const { user_id } = userOf(request)
      const { plan } = await requireMember(accounts, user_id, endpoint.org_id)
      if (!hasPlan(plan, 'starter')) throw forbidden('A Starter or higher plan is required')
      return envelope('Webhook endpoint created', await webhooks.create(endpoint, mode))
    },
  )

  app.post(
    '/console/api/webhooks/:id/mode',
    { config, schema: { params: oneEndpoint, body: modeBody } },
    async (request) => {
      const { org_id, mode } = request.body
      await requireMember(accounts, userOf(request).user_id, org_id)
      const endpoint = await operations.setMode(org_id, request.params.id, mode)
      return envelope('Mode set', found(endpoint))
    },
  )

  app.get(
    '/console/api/webhooks/:id/statistics',
    { config, schema: { params: oneEndpoint, querystring: statisticsQuery } },
    async (request) => {
      const { org_id, hours = HOURS_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const statistics = await operations.statistics(org_id, request.params.id, { hours })
      return envelope('Deliveries', found(statistics))
    },
  )

  app.post(
    '/console/api/webhooks/:id/replay',
    { config, schema: { params: oneEndpoint, body: replayBody } },
    async (request) => {
      const { org_id, statuses = NOT_DELIVERED, from, until, after } = request.body
      await requireMember(accounts, userOf(request).user_id, org_id)
      const replayed = await operations.replay(org_id, request.params.id, {
        statuses,
        from: timeOf('from', from),
        until: timeOf('until', until),
        after,
      })
      return envelope('Deliveries queued', found(replayed))
    },
  )
}

/** The format admits days that no calendar has. */
function timeOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const parsed = new Date(text)
  if (Number.isNaN(parsed.getTime())) throw invalidRequest(field, `${field} is not a time`)
  return parsed
}
