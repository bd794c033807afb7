/** Console routes for members who investigate orders and profiles. */

import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  cursorQuery,
  PAGE_ROWS_DEFAULT,
  PAGE_ROWS_MAX,
  readCursorQuery,
  readSearchText,
} from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import { ORDER_FLAGS } from '../schema.ts'
import type { OrderReading } from './service.ts'
import { ORDER_DECISIONS } from './store.ts'

export type OrderConsoleDependencies = { order_reading: OrderReading }

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

const name = Type.Optional(Type.String({ maxLength: IDENTIFIER_MAX_CHARS }))
const BY_ID = { config: MEMBER, schema: { params: Type.Object({ id: Type.String() }) } }
const ordersQuery = Type.Object({
  ...modeParameter,
  ...cursorQuery,
  order: name,
  external_id: name,
  min_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  flag: Type.Optional(choice(ORDER_FLAGS)),
  decision: Type.Optional(choice(ORDER_DECISIONS)),
})
const profilesQuery = Type.Object({
  ...modeParameter,
  from: name,
  cursor: name,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
})

export function orderConsoleRoutes(app: App, { order_reading }: OrderConsoleDependencies): void {
  const orders = { config: MEMBER, schema: { querystring: ordersQuery } }
  app.get('/console/api/orders', orders, async (request) => {
    const { order, external_id, min_score, flag, decision, mode, ...walk } = request.query
    return envelope(
      'Orders',
      await order_reading.list({
        ...readCursorQuery(walk),
        ...ownerOf(request.member, { mode }),
        name: readSearchText('order', order),
        external_id: readSearchText('external_id', external_id),
        score_min: min_score,
        flag,
        decision,
      }),
    )
  })

  app.get('/console/api/orders/:id', BY_ID, async (request) => {
    const { org_id } = request.member
    return envelope('Order', found(await order_reading.find(org_id, request.params.id)))
  })

  const profiles = { config: MEMBER, schema: { querystring: profilesQuery } }
  app.get('/console/api/profiles', profiles, async (request) => {
    const { mode, from, cursor, limit = PAGE_ROWS_DEFAULT } = request.query
    const query = {
      from: readSearchText('from', from),
      after: readSearchText('cursor', cursor),
      limit,
    }
    const owner = ownerOf(request.member, { mode })
    return envelope('Profiles', await order_reading.listProfiles(owner, query))
  })

  app.get('/console/api/profiles/:id', BY_ID, async (request) => {
    const { org_id } = request.member
    return envelope('Profile', found(await order_reading.findProfile(org_id, request.params.id)))
  })
}
