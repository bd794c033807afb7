/** Console routes for the success rates of webhook endpoints and their delivery history. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { cursorQuery, readCursorQuery } from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { EVENT_TYPES } from '../../events/index.ts'
import { DELIVERY_STATUSES } from '../tables.ts'
import type { WebhookHistory } from './service.ts'

export type WebhookHistoryDependencies = { webhook_history: WebhookHistory }

export const HOURS_DEFAULT = 24
const HOURS_MAX = 24 * 90

export const oneEndpoint = Type.Object({ id: Type.String() })
export const oneDelivery = Type.Object({ id: Type.String(), delivery_id: Type.String() })
export const hoursQuery = Type.Object({
  hours: Type.Optional(Type.Integer({ minimum: 1, maximum: HOURS_MAX })),
})
export const deliveriesQuery = Type.Object({
  ...cursorQuery,
  status: Type.Optional(choice(DELIVERY_STATUSES)),
  event_type: Type.Optional(choice(EVENT_TYPES)),
})

export const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function webhookHistoryRoutes(
  app: App,
  { webhook_history: history }: WebhookHistoryDependencies,
): void {
  app.get(
    '/console/api/webhooks/rates',
    { config: MEMBER, schema: { querystring: hoursQuery } },
    async ({ member, query: { hours = HOURS_DEFAULT } }) =>
      envelope('Rates', await history.rates(member.org_id, hours)),
  )

  app.get(
    '/console/api/webhooks/:id/series',
    { config: MEMBER, schema: { params: oneEndpoint, querystring: hoursQuery } },
    async ({ member, params, query: { hours = HOURS_DEFAULT } }) =>
      envelope('Series', found(await history.series(member.org_id, params.id, hours))),
  )

  app.get(
    '/console/api/webhooks/:id/deliveries',
    { config: MEMBER, schema: { params: oneEndpoint, querystring: deliveriesQuery } },
    async ({ member, params, query: { status, event_type, ...walk } }) => {
      const query = { ...readCursorQuery(walk), status, event_type }
      return envelope('Deliveries', found(await history.list(member.org_id, params.id, query)))
    },
  )

  app.get(
    '/console/api/webhooks/:id/deliveries/:delivery_id',
    { config: MEMBER, schema: { params: oneDelivery } },
    async ({ member, params: { id, delivery_id } }) =>
      envelope('Delivery', found(await history.find(member.org_id, id, delivery_id))),
  )
}
