/** Routes of the console about cashiers: comparison of peers, actions, and one cashier. */

import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { readDates } from '../../../platform/http/dates.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import { ACTION_TYPES } from '../scoring/facts.ts'
import type { CashierReadings } from './readings.ts'

export type CashierConsoleDependencies = { cashier_readings: CashierReadings }

const DAYS_DEFAULT = 14
const DAYS_MAX = 90
const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const TEXT_MAX_CHARS = 4096
/** A day of 25 hours, when clocks are set back, plus time for shifts over midnight. */
const TIMELINE_HOURS_MAX = 48

/** PostgreSQL stores no NUL, so no stored name contains one. */
const text = () =>
  Type.String({
    minLength: 1,
    maxLength: TEXT_MAX_CHARS,
    pattern: '^[^\\u0000]*$',
    'x-wanted': 'a text without null characters',
  })
const days = Type.Optional(Type.Integer({ minimum: 1, maximum: DAYS_MAX }))
const dates = { start_date: Type.Optional(Type.String()), end_date: Type.Optional(Type.String()) }
const params = Type.Object({ cashier_id: Type.String() })
const actionParams = Type.Object({ id: Type.String() })

const daysQuery = Type.Object({ ...modeParameter, days })
const peersQuery = Type.Object({
  ...modeParameter,
  location: text(),
  action_type: choice(ACTION_TYPES),
  days,
})
const actionsQuery = Type.Object({
  ...modeParameter,
  ...dates,
  cashier_id: Type.Optional(Type.String()),
  location: Type.Optional(text()),
  action_type: Type.Optional(choice(ACTION_TYPES)),
  order_external_id: Type.Optional(text()),
  score_min: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  is_flagged: Type.Optional(Type.Boolean()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const time = Type.String()
const timelineQuery = Type.Object({ ...modeParameter, start_date: time, end_date: time })

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function cashierConsoleRoutes(app: App, deps: CashierConsoleDependencies): void {
  const { cashier_readings } = deps

  const stores = { config: MEMBER, schema: { querystring: daysQuery } }
  app.get('/console/api/cashiers/stores', stores, async (request) => {
    const { days: window = DAYS_DEFAULT, mode } = request.query
    const owner = ownerOf(request.member, { mode })
    return envelope('Stores', await cashier_readings.stores(owner, window))
  })

  const peers = { config: MEMBER, schema: { querystring: peersQuery } }
  app.get('/console/api/cashiers/peers', peers, async (request) => {
    const { days: window = DAYS_DEFAULT, location, action_type, ...owner } = request.query
    const query = { location, action_type, days: window }
    return envelope('Peers', await cashier_readings.peers(ownerOf(request.member, owner), query))
  })

  const actions = { config: MEMBER, schema: { querystring: actionsQuery } }
  app.get('/console/api/cashiers/actions', actions, async (request) => {
    const { limit = LISTED_DEFAULT, cursor: after } = request.query
    if (after !== undefined && !isUuid(after)) {
      throw invalidRequest('cursor', 'cursor must be the next_cursor of an earlier page')
    }
    const owner = ownerOf(request.member, request.query)
    const page = await cashier_readings.actions(owner, filterOf(request.query), { after, limit })
    return envelope('Cashier actions', page)
  })

  const action = { config: MEMBER, schema: { params: actionParams } }
  app.get('/console/api/cashiers/actions/:id', action, async (request) => {
    const { org_id } = request.member
    const details = await cashier_readings.action(org_id, request.params.id)
    return envelope('Cashier action', found(details))
  })

  const cashier = { config: MEMBER, schema: { params, querystring: daysQuery } }
  app.get('/console/api/cashiers/:cashier_id', cashier, async (request) => {
    const { days: window = DAYS_DEFAULT, mode } = request.query
    const owner = ownerOf(request.member, { mode })
    const summary = await cashier_readings.cashier(owner, request.params.cashier_id, window)
    return envelope('Cashier', found(summary))
  })

  const timeline = { config: MEMBER, schema: { params, querystring: timelineQuery } }
  app.get('/console/api/cashiers/:cashier_id/timeline', timeline, async (request) => {
    const { start, end } = readDates(request.query)
    if (!start || !end) throw invalidRequest('start_date', 'start_date must be a time')
    if (end.getTime() - start.getTime() > TIMELINE_HOURS_MAX * HOUR_MS) {
      throw invalidRequest('end_date', `end_date must be within ${TIMELINE_HOURS_MAX} hours`)
    }
    const owner = ownerOf(request.member, request.query)
    const { cashier_id } = request.params
    const events = await cashier_readings.timeline(owner, cashier_id, { start, end })
    return envelope('Timeline', found(events))
  })
}

function filterOf({
  cashier_id,
  location,
  action_type,
  order_external_id,
  score_min,
  is_flagged,
  ...period
}: Static<typeof actionsQuery>) {
  if (cashier_id !== undefined && !isUuid(cashier_id)) {
    throw invalidRequest('cashier_id', 'cashier_id must be the id of a cashier')
  }
  const filter = { cashier_id, location, action_type, order_external_id, score_min, is_flagged }
  return { ...filter, ...readDates(period) }
}
