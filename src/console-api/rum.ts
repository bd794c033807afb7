/** What happens to the users of an organisation's pages and apps, for its members. */
import { type Static, Type } from 'typebox'
import { type Accounts, requireMember } from '../modules/accounts/index.ts'
import {
  DEVICE_CLASSES,
  type ReadingQuery,
  type RumReadings,
  type RumTrends,
  VITALS,
} from '../modules/rum/index.ts'
import { userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { readDates } from '../platform/http/dates.ts'
import { envelope } from '../platform/http/envelope.ts'
import { choice } from '../platform/http/schemas.ts'
import { found } from './found.ts'

export type RumConsoleDependencies = {
  accounts: Pick<Accounts, 'membership'>
  readings: RumReadings
  trends: RumTrends
}

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const TIMELINE_DEFAULT = 500
const TIMELINE_MAX = 1000
const TEXT_MAX_CHARS = 512

const text = () => Type.String({ minLength: 1, maxLength: TEXT_MAX_CHARS })
const time = () => Type.Optional(Type.String())
const upTo = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))
const within = {
  org_id: Type.String(),
  mode: Type.Optional(choice(['live', 'test'])),
  start_date: time(),
  end_date: time(),
}
const vitalsQuery = Type.Object({
  ...within,
  page: Type.Optional(text()),
  device: Type.Optional(choice(DEVICE_CLASSES)),
})
const listQuery = Type.Object({ ...within, limit: upTo(LISTED_MAX) })
const errorsQuery = Type.Object({ ...listQuery.properties, page: Type.Optional(text()) })
const sessionsQuery = Type.Object({
  ...listQuery.properties,
  error_fingerprint: Type.Optional(text()),
  page: Type.Optional(text()),
})
const vitalTrendQuery = Type.Object({
  ...vitalsQuery.properties,
  name: Type.Optional(choice(VITALS)),
})
const activityQuery = Type.Object({
  ...within,
  page: Type.Optional(text()),
  error_fingerprint: Type.Optional(text()),
})
const oneError = Type.Object({ fingerprint: Type.String() })
const sessionQuery = Type.Object({ ...within, limit: upTo(TIMELINE_MAX) })
const oneSession = Type.Object({ session_id: Type.String() })

type Within = Pick<Static<typeof listQuery>, keyof typeof within>

const config = { access: 'portal', rate_class: 'console' } as const

export function rumConsoleRoutes(app: App, deps: RumConsoleDependencies): void {
  pageRoutes(app, deps)
  errorRoutes(app, deps)
  trendRoutes(app, deps)
  sessionRoutes(app, deps)
}

function pageRoutes(app: App, { accounts, readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/vitals',
    { config, schema: { querystring: vitalsQuery } },
    async (request) => {
      const { page, device, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      return envelope('Web vitals', await readings.vitals(queryOf(given), { page, device }))
    },
  )

  app.get(
    '/console/api/rum/pages',
    { config, schema: { querystring: listQuery } },
    async (request) => {
      const { limit = LISTED_DEFAULT, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      return envelope('Pages', await readings.pages(queryOf(given), limit))
    },
  )
}

function errorRoutes(app: App, { accounts, readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/errors',
    { config, schema: { querystring: errorsQuery } },
    async (request) => {
      const { limit = LISTED_DEFAULT, page, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      return envelope('Errors', await readings.errors(queryOf(given), { page, limit }))
    },
  )

  app.get(
    '/console/api/rum/errors/:fingerprint',
    { config, schema: { params: oneError, querystring: Type.Object(within) } },
    async (request) => {
      await requireMember(accounts, userOf(request).user_id, request.query.org_id)
      const { fingerprint } = request.params
      return envelope('Error', found(await readings.error(queryOf(request.query), fingerprint)))
    },
  )
}

function trendRoutes(app: App, { accounts, trends }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/trends/vital',
    { config, schema: { querystring: vitalTrendQuery } },
    async (request) => {
      const { name = 'LCP', page, device, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      return envelope('Trend', await trends.vital(queryOf(given), { name, page, device }))
    },
  )

  app.get(
    '/console/api/rum/trends/activity',
    { config, schema: { querystring: activityQuery } },
    async (request) => {
      const { page, error_fingerprint, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      return envelope('Trend', await trends.activity(queryOf(given), { page, error_fingerprint }))
    },
  )
}

function sessionRoutes(app: App, { accounts, readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/sessions',
    { config, schema: { querystring: sessionsQuery } },
    async (request) => {
      const { limit = LISTED_DEFAULT, error_fingerprint, page, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      const filter = { error_fingerprint, page, limit }
      return envelope('Sessions', await readings.sessions(queryOf(given), filter))
    },
  )

  app.get(
    '/console/api/rum/sessions/:session_id',
    { config, schema: { params: oneSession, querystring: sessionQuery } },
    async (request) => {
      const { limit = TIMELINE_DEFAULT, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      const session = await readings.session(queryOf(given), request.params.session_id, limit)
      return envelope('Session', found(session))
    },
  )
}

const queryOf = ({ org_id, mode = 'live', start_date, end_date }: Within): ReadingQuery => ({
  org_id,
  mode,
  ...readDates({ start_date, end_date }),
})
