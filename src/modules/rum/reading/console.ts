/** Routes of the console about real users: web vitals, pages, errors, sessions and trends. */

import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { readDates } from '../../../platform/http/dates.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { sendExactNumbers } from '../../../platform/http/exact-numbers.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { type Member, modeParameter, ownerOf } from '../../access/index.ts'
import { DEVICE_CLASSES } from '../device-class.ts'
import { VITALS } from '../vitals.ts'
import type { ReadingQuery, RumReadings } from './readings.ts'
import type { RumTrends } from './trends.ts'

export type RumConsoleDependencies = {
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
const within = { ...modeParameter, start_date: time(), end_date: time() }
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

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function rumConsoleRoutes(app: App, deps: RumConsoleDependencies): void {
  pageRoutes(app, deps)
  errorRoutes(app, deps)
  trendRoutes(app, deps)
  sessionRoutes(app, deps)
}

function pageRoutes(app: App, { readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/vitals',
    { config: MEMBER, schema: { querystring: vitalsQuery } },
    async ({ member, query }) =>
      envelope('Web vitals', await readings.vitals(queryOf(member, query), query)),
  )

  app.get(
    '/console/api/rum/pages',
    { config: MEMBER, schema: { querystring: listQuery } },
    async ({ member, query }) => {
      const { limit = LISTED_DEFAULT } = query
      return envelope('Pages', await readings.pages(queryOf(member, query), limit))
    },
  )
}

function errorRoutes(app: App, { readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/errors',
    { config: MEMBER, schema: { querystring: errorsQuery } },
    async ({ member, query }) => {
      const { limit = LISTED_DEFAULT, page } = query
      return envelope('Errors', await readings.errors(queryOf(member, query), { page, limit }))
    },
  )

  app.get(
    '/console/api/rum/errors/:fingerprint',
    {
      config: MEMBER,
      schema: { params: oneError, querystring: Type.Object(within) },
      onSend: sendExactNumbers,
    },
    async ({ member, params, query }) =>
      envelope('Error', found(await readings.error(queryOf(member, query), params.fingerprint))),
  )
}

function trendRoutes(app: App, { trends }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/trends/vital',
    { config: MEMBER, schema: { querystring: vitalTrendQuery } },
    async ({ member, query }) => {
      const { name = 'LCP', page, device } = query
      return envelope('Trend', await trends.vital(queryOf(member, query), { name, page, device }))
    },
  )

  app.get(
    '/console/api/rum/trends/activity',
    { config: MEMBER, schema: { querystring: activityQuery } },
    async ({ member, query }) =>
      envelope('Trend', await trends.activity(queryOf(member, query), query)),
  )
}

function sessionRoutes(app: App, { readings }: RumConsoleDependencies): void {
  app.get(
    '/console/api/rum/sessions',
    { config: MEMBER, schema: { querystring: sessionsQuery } },
    async ({ member, query }) => {
      const { limit = LISTED_DEFAULT, error_fingerprint, page } = query
      const filter = { error_fingerprint, page, limit }
      return envelope('Sessions', await readings.sessions(queryOf(member, query), filter))
    },
  )

  app.get(
    '/console/api/rum/sessions/:session_id',
    {
      config: MEMBER,
      schema: { params: oneSession, querystring: sessionQuery },
      onSend: sendExactNumbers,
    },
    async ({ member, params: { session_id }, query }) => {
      const { limit = TIMELINE_DEFAULT } = query
      const session = await readings.session(queryOf(member, query), session_id, limit)
      return envelope('Session', found(session))
    },
  )
}

const queryOf = (member: Member, { mode, start_date, end_date }: Within): ReadingQuery => ({
  ...ownerOf(member, { mode }),
  ...readDates({ start_date, end_date }),
})
