/** The cashiers of an organisation side by side, and what each of them did, for its members. */
import { type Static, Type } from 'typebox'
import { type Accounts, requireMember } from '../../modules/accounts/index.ts'
import { ACTION_TYPES, type CashierReadings } from '../../modules/cashier/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { readDates } from '../../platform/http/dates.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { found } from '../found.ts'

export type CashierConsoleDependencies = {
  accounts: Pick<Accounts, 'membership'>
  cashier_readings: CashierReadings
}

const DAYS_DEFAULT = 14
const DAYS_MAX = 90
const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const TEXT_MAX_CHARS = 4096
/** A day, with the hour of a clock that is put back, and some more for shifts over midnight. */
const TIMELINE_HOURS_MAX = 48
const HOUR_MS = 3_600_000

/** PostgreSQL stores no NUL, so nothing has such a name. */
const text = () =>
  Type.String({ minLength: 1, maxLength: TEXT_MAX_CHARS, pattern: '^[^\\u0000]*$' })
const organization = {
  org_id: Type.String(),
  mode: Type.Optional(choice(['live', 'test'])),
}
const days = Type.Optional(Type.Integer({ minimum: 1, maximum: DAYS_MAX }))
const dates = { start_date: Type.Optional(Type.String()), end_date: Type.Optional(Type.String()) }
const oneCashier = Type.Object({ cashier_id: Type.String() })

const storesQuery = Type.Object({ ...organization, days })
const peersQuery = Type.Object({
  ...organization,
  location: text(),
  action_type: choice(ACTION_TYPES),
  days,
})
const actionsQuery = Type.Object({
  ...organization,
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
const cashierQuery = Type.Object({ ...organization, days })
const timelineQuery = Type.Object({
  ...organization,
  start_date: Type.String(),
  end_date: Type.String(),
})

type Asked = { org_id: string; mode?: 'live' | 'test' }

const config = { access: 'portal', rate_class: 'console' } as const

export function cashierConsoleRoutes(app: App, deps: CashierConsoleDependencies): void {
  peerRoutes(app, deps)
  actionRoutes(app, deps)
  oneCashierRoutes(app, deps)
}

const ownerOf = ({ org_id, mode = 'live' }: Asked) => ({ org_id, mode })

function peerRoutes(app: App, { accounts, cashier_readings }: CashierConsoleDependencies): void {
  app.get(
    '/console/api/cashiers/stores',
    { config, schema: { querystring: storesQuery } },
    async (request) => {
      const { days: asked = DAYS_DEFAULT, ...owner } = request.query
      await requireMember(accounts, userOf(request).user_id, owner.org_id)
      return envelope('Stores', await cashier_readings.stores(ownerOf(owner), asked))
    },
  )

  app.get(
    '/console/api/cashiers/peers',
    { config, schema: { querystring: peersQuery } },
    async (request) => {
      const { days: asked = DAYS_DEFAULT, location, action_type, ...owner } = request.query
      await requireMember(accounts, userOf(request).user_id, owner.org_id)
      const about = { location, action_type, days: asked }
      return envelope('Peers', await cashier_readings.peers(ownerOf(owner), about))
    },
  )
}

function actionRoutes(app: App, { accounts, cashier_readings }: CashierConsoleDependencies): void {
  app.get(
    '/console/api/cashiers/actions',
    { config, schema: { querystring: actionsQuery } },
    async (request) => {
      const { org_id, limit = LISTED_DEFAULT, cursor: after } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (after !== undefined && !isUuid(after)) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      const filter = filterOf(request.query)
      const page = { after, limit }
      return envelope(
        'Cashier actions',
        await cashier_readings.actions(ownerOf(request.query), filter, page),
      )
    },
  )

  app.get(
    '/console/api/cashiers/actions/:id',
    {
      config,
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: Type.Object(organization),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const action = await cashier_readings.action(org_id, request.params.id)
      return envelope('Cashier action', found(action))
    },
  )
}

function filterOf(query: Static<typeof actionsQuery>) {
  const { cashier_id, location, action_type, order_external_id, score_min, is_flagged } = query
  if (cashier_id !== undefined && !isUuid(cashier_id)) {
    throw invalidRequest('cashier_id', 'cashier_id must be the id of a cashier')
  }
  return {
    cashier_id,
    location,
    action_type,
    order_external_id,
    score_min,
    is_flagged,
    ...readDates(query),
  }
}

function oneCashierRoutes(
  app: App,
  { accounts, cashier_readings }: CashierConsoleDependencies,
): void {
  app.get(
    '/console/api/cashiers/:cashier_id',
    { config, schema: { params: oneCashier, querystring: cashierQuery } },
    async (request) => {
      const { days: asked = DAYS_DEFAULT, ...owner } = request.query
      await requireMember(accounts, userOf(request).user_id, owner.org_id)
      const { cashier_id } = request.params
      const cashier = await cashier_readings.cashier(ownerOf(owner), cashier_id, asked)
      return envelope('Cashier', found(cashier))
    },
  )

  app.get(
    '/console/api/cashiers/:cashier_id/timeline',
    { config, schema: { params: oneCashier, querystring: timelineQuery } },
    async (request) => {
      const { query, params } = request
      await requireMember(accounts, userOf(request).user_id, query.org_id)
      const { start, end } = readDates(query)
      if (!start || !end) throw invalidRequest('start_date', 'start_date must be a time')
      if (end.getTime() - start.getTime() > TIMELINE_HOURS_MAX * HOUR_MS) {
        throw invalidRequest('end_date', `end_date must be within ${TIMELINE_HOURS_MAX} hours`)
      }
      const timeline = await cashier_readings.timeline(ownerOf(query), params.cashier_id, {
        start,
        end,
      })
      return envelope('Timeline', found(timeline))
    },
  )
}
