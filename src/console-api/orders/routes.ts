/** Orders and profiles for people who have to understand a case, which is the work of all members. */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import { ORDER_DECISIONS, ORDER_FLAGS, type OrderReading } from '../../modules/orders/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { choice, IDENTIFIER_MAX_CHARS } from '../../platform/http/schemas.ts'
import { found } from '../found.ts'
import { LISTED_DEFAULT, LISTED_MAX, scopeQuery, searched, walkOf, walkQuery } from '../walking.ts'

export type OrderConsoleDependencies = { accounts: Members; order_reading: OrderReading }

const config = { access: 'portal', rate_class: 'console' } as const

const name = Type.Optional(Type.String({ maxLength: IDENTIFIER_MAX_CHARS }))
const one = Type.Object({ id: Type.String() })
const organization = Type.Object({ org_id: Type.String() })
const ordersQuery = Type.Object({
  ...scopeQuery,
  ...walkQuery,
  order: name,
  external_id: name,
  min_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  flag: Type.Optional(choice(ORDER_FLAGS)),
  decision: Type.Optional(choice(ORDER_DECISIONS)),
})
const profilesQuery = Type.Object({
  ...scopeQuery,
  from: name,
  cursor: name,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

export function orderConsoleRoutes(app: App, deps: OrderConsoleDependencies): void {
  orderRoutes(app, deps)
  profileRoutes(app, deps)
}

function orderRoutes(app: App, { accounts, order_reading }: OrderConsoleDependencies): void {
  app.get(
    '/console/api/orders',
    { config, schema: { querystring: ordersQuery } },
    async (request) => {
      const { order, external_id, min_score, flag, decision, ...query } = request.query
      const { org_id, mode = 'live', ...walk } = query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope(
        'Orders',
        await order_reading.list({
          ...walkOf(walk),
          org_id,
          mode,
          name: searched('order', order),
          external_id: searched('external_id', external_id),
          score_min: min_score,
          flag,
          decision,
        }),
      )
    },
  )

  app.get(
    '/console/api/orders/:id',
    { config, schema: { params: one, querystring: organization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Order', found(await order_reading.find(org_id, request.params.id)))
    },
  )
}

function profileRoutes(app: App, { accounts, order_reading }: OrderConsoleDependencies): void {
  app.get(
    '/console/api/profiles',
    { config, schema: { querystring: profilesQuery } },
    async (request) => {
      const { org_id, mode = 'live', from, cursor, limit = LISTED_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const query = { from: searched('from', from), after: searched('cursor', cursor), limit }
      return envelope('Profiles', await order_reading.listProfiles({ org_id, mode }, query))
    },
  )

  app.get(
    '/console/api/profiles/:id',
    { config, schema: { params: one, querystring: organization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Profile', found(await order_reading.findProfile(org_id, request.params.id)))
    },
  )
}
