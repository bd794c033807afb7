/** How webhook endpoints fare and what became of each delivery, for members of an organisation. */
import { Type } from 'typebox'
import { type Members, requireMember } from '../modules/accounts/index.ts'
import { EVENT_TYPES } from '../modules/events/index.ts'
import type { WebhookHistory } from '../modules/webhooks/index.ts'
import { userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { envelope } from '../platform/http/envelope.ts'
import { choice } from '../platform/http/schemas.ts'
import { DELIVERY_STATUSES } from '../platform/postgres/tables/webhooks.ts'
import { found } from './found.ts'
import { walkOf, walkQuery } from './walking.ts'

export type WebhookHistoryDependencies = { accounts: Members; webhook_history: WebhookHistory }

const HOURS_DEFAULT = 24
const HOURS_MAX = 24 * 90

const oneEndpoint = Type.Object({ id: Type.String() })
const oneDelivery = Type.Object({ id: Type.String(), delivery_id: Type.String() })
const ofOrganization = Type.Object({ org_id: Type.String() })
const hoursQuery = Type.Object({
  org_id: Type.String(),
  hours: Type.Optional(Type.Integer({ minimum: 1, maximum: HOURS_MAX })),
})
const listQuery = Type.Object({
  org_id: Type.String(),
  ...walkQuery,
  status: Type.Optional(choice(DELIVERY_STATUSES)),
  event_type: Type.Optional(choice(EVENT_TYPES)),
})

const config = { access: 'portal', rate_class: 'console' } as const

export function webhookHistoryRoutes(
  app: App,
  { accounts, webhook_history: history }: WebhookHistoryDependencies,
): void {
  app.get(
    '/console/api/webhooks/rates',
    { config, schema: { querystring: hoursQuery } },
    async (request) => {
      const { org_id, hours = HOURS_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Rates', await history.rates(org_id, hours))
    },
  )

  app.get(
    '/console/api/webhooks/:id/series',
    { config, schema: { params: oneEndpoint, querystring: hoursQuery } },
    async (request) => {
      const { org_id, hours = HOURS_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Series', found(await history.series(org_id, request.params.id, hours)))
    },
  )

  app.get(
    '/console/api/webhooks/:id/deliveries',
    { config, schema: { params: oneEndpoint, querystring: listQuery } },
    async (request) => {
      const { org_id, status, event_type, ...walk } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const query = { ...walkOf(walk), status, event_type }
      return envelope('Deliveries', found(await history.list(org_id, request.params.id, query)))
    },
  )

  app.get(
    '/console/api/webhooks/:id/deliveries/:delivery_id',
    { config, schema: { params: oneDelivery, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const { id, delivery_id } = request.params
      return envelope('Delivery', found(await history.find(org_id, id, delivery_id)))
    },
  )
}
