/** Logs of edge devices for the console: what the portal reads, in both modes, and the live tail. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Members } from '../modules/accounts/index.ts'
import {
  type AlertLimits,
  type Alerts,
  askedFilters,
  type Devices,
  EVENT_STREAM,
  eventStream,
  type LogExplorer,
  type LogReading,
  type ReadingLimits,
  readingQueries,
  type Searches,
  type Tail,
} from '../modules/edge/index.ts'
import { userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { envelope } from '../platform/http/envelope.ts'
import { tooManyRequests } from '../platform/http/errors.ts'
import { PAGE_DEFAULT } from '../platform/http/paging.ts'
import { alertPreviewRoutes } from './edge/alerts.ts'
import { deviceConsoleRoutes } from './edge/devices.ts'
import { explorerRoutes } from './edge/explorer.ts'
import { mode, scopeOf } from './edge/scope.ts'
import { searchRoutes } from './edge/searches.ts'

export type EdgeConsoleDependencies = {
  accounts: Members
  reading: LogReading
  tail: Tail
  explorer: LogExplorer
  searches: Searches
  devices: Pick<Devices, 'browse' | 'find'>
  alerts: Pick<Alerts, 'preview'>
  field_limits: ReadingLimits & AlertLimits
}

/** When too many watch already. */
const RETRY_SECONDS = 5
/** What the console asks for at once, however small pages of the portal are made. */
const PAGE_MAX = 1000
/** Streams get this long to tell that they end when the process stops. */
const LAST_WORDS_MS = 250

const config = { access: 'portal', rate_class: 'console' } as const

export function edgeConsoleRoutes(app: App, deps: EdgeConsoleDependencies): void {
  readingRoutes(app, deps)
  tailRoute(app, deps)
  explorerRoutes(app, deps)
  searchRoutes(app, deps)
  deviceConsoleRoutes(app, deps)
  alertPreviewRoutes(app, deps)
}

function consoleQueries({ edge_page_max, edge_window_days }: ReadingLimits) {
  const limits = { edge_page_max: Math.max(edge_page_max, PAGE_MAX), edge_window_days }
  const { organization, paging, dates, filters, q, granularity } = readingQueries(limits)
  const scope = { ...organization, mode }
  const search = { ...filters, q: Type.Optional(q) }
  return {
    logs: Type.Object({ ...scope, ...paging, ...dates, ...search }),
    errors: Type.Object({ ...scope, ...paging, ...dates }),
    overview: Type.Object({ ...scope, ...dates }),
    trends: Type.Object({ ...scope, ...dates, ...search, granularity }),
    tail: Type.Object({ ...scope, ...search }),
  }
}

function readingRoutes(app: App, deps: EdgeConsoleDependencies): void {
  const { accounts, reading } = deps
  const queries = consoleQueries(deps.field_limits)

  app.get(
    '/console/api/edge/logs',
    { config, schema: { querystring: queries.logs } },
    async (request) => {
      const scope = await scopeOf(accounts, userOf(request).user_id, request.query)
      return envelope('Logs', await reading.list(scope, { ...PAGE_DEFAULT, ...request.query }))
    },
  )

  app.get(
    '/console/api/edge/errors',
    { config, schema: { querystring: queries.errors } },
    async (request) => {
      const scope = await scopeOf(accounts, userOf(request).user_id, request.query)
      const asked = { ...PAGE_DEFAULT, ...request.query }
      return envelope('Error groups', await reading.errors(scope, asked))
    },
  )

  app.get(
    '/console/api/edge/overview',
    { config, schema: { querystring: queries.overview } },
    async (request) => {
      const scope = await scopeOf(accounts, userOf(request).user_id, request.query)
      return envelope('Overview', await reading.overview(scope, request.query))
    },
  )

  app.get(
    '/console/api/edge/trends',
    { config, schema: { querystring: queries.trends } },
    async (request) => {
      const scope = await scopeOf(accounts, userOf(request).user_id, request.query)
      const { granularity = 'day', ...asked } = request.query
      return envelope('Trends', await reading.trends(scope, { ...asked, granularity }))
    },
  )
}

function tailRoute(app: App, deps: EdgeConsoleDependencies): void {
  const { accounts, tail } = deps
  const { tail: querystring } = consoleQueries(deps.field_limits)

  const answers = new Set<ServerResponse>()

  // A stream never ends by itself: without this the server would wait for it.
  app.addHook('preClose', async () => {
    await tail.close()
    // Nor does one whose reader has stopped to read.
    const cutOff = () => {
      for (const answer of answers) answer.destroy()
    }
    setTimeout(cutOff, LAST_WORDS_MS).unref()
  })

  app.get('/console/api/edge/tail', { config, schema: { querystring } }, async (request, reply) => {
    const scope = await scopeOf(accounts, userOf(request).user_id, request.query)
    const until = endOfToken(request.headers.authorization)
    const subscription = tail.watch(scope, askedFilters(request.query), until)
    if (!subscription) throw tooManyRequests(RETRY_SECONDS)
    const leave = () => {
      answers.delete(reply.raw)
      subscription.close()
    }
    answers.add(reply.raw)
    reply.raw.once('close', leave)
    // Who left before will not be heard to leave.
    if (reply.raw.destroyed) leave()
    // Proxies that gather an answer before they pass it on are told not to.
    return await reply
      .header('x-accel-buffering', 'no')
      .type(EVENT_STREAM)
      .send(Readable.from(eventStream(subscription), { objectMode: false }))
  })
}

/** Of the access token, which was verified before; whoever watches comes again with a new one. */
function endOfToken(authorization = ''): Date {
  const [, claims = ''] = authorization.split('.')
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp: number }
  return new Date(exp * 1000)
}
