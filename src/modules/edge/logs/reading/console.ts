/** Log readings for the console: the same as for the portal, in both modes. */
import { Type } from 'typebox'
import type { App } from '../../../../platform/http/app.ts'
import { envelope } from '../../../../platform/http/envelope.ts'
import { sendExactNumbers } from '../../../../platform/http/exact-numbers.ts'
import { PAGE_DEFAULT } from '../../../../platform/http/paging.ts'
import { choice } from '../../../../platform/http/schemas.ts'
import { modeParameter, ownerOf } from '../../../access/index.ts'
import { stateFilters } from '../../error-states/schema.ts'
import type { ErrorStatesService } from '../../error-states/service.ts'
import { readQuery } from './query-parameters.ts'
import type { LogReadingRouteDependencies } from './routes.ts'
import { type ReadingLimits, readingQueries } from './schema.ts'

/** The console needs large pages, even where the setting limits those of the portal. */
const PAGE_MAX = 1000

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function edgeReadingConsoleRoutes(
  app: App,
  {
    reading,
    states,
    field_limits,
  }: LogReadingRouteDependencies & { states: Pick<ErrorStatesService, 'select'> },
): void {
  const queries = consoleQueries(field_limits)

  app.get(
    '/console/api/edge/logs',
    { config: MEMBER, schema: { querystring: queries.logs }, onSend: sendExactNumbers },
    async ({ member, query }) => {
      const page = { ...PAGE_DEFAULT, ...query }
      return envelope('Logs', await reading.list(ownerOf(member, query), page))
    },
  )

  app.get(
    '/console/api/edge/query',
    { config: MEMBER, schema: { querystring: queries.query } },
    ({ query }) => envelope('Query', readQuery(query.q)),
  )

  app.get(
    '/console/api/edge/suggestions',
    { config: MEMBER, schema: { querystring: queries.suggestions } },
    async ({ member, query }) =>
      envelope('Suggestions', await reading.suggest(ownerOf(member, query), query)),
  )

  app.get(
    '/console/api/edge/errors',
    { config: MEMBER, schema: { querystring: queries.errors } },
    async ({ member, query }) => {
      const owner = ownerOf(member, query)
      const { state, assignee_id, ...page } = { ...PAGE_DEFAULT, ...query }
      const selected = await states.select(owner, { state, assignee_id })
      return envelope('Error groups', await reading.errors(owner, { ...page, selected }))
    },
  )

  app.get(
    '/console/api/edge/overview',
    { config: MEMBER, schema: { querystring: queries.overview } },
    async ({ member, query }) =>
      envelope('Overview', await reading.overview(ownerOf(member, query), query)),
  )

  app.get(
    '/console/api/edge/trends',
    { config: MEMBER, schema: { querystring: queries.trends } },
    async ({ member, query }) => {
      const { granularity = 'day' } = query
      const trends = await reading.trends(ownerOf(member, query), { ...query, granularity })
      return envelope('Trends', trends)
    },
  )
}

function consoleQueries({ edge_page_max, edge_window_days }: ReadingLimits) {
  const limits = { edge_page_max: Math.max(edge_page_max, PAGE_MAX), edge_window_days }
  const { paging, dates, filters, q, granularity } = readingQueries(limits)
  const search = { ...filters, q: Type.Optional(q) }
  const order = Type.Optional(choice(['newest', 'oldest']))
  return {
    logs: Type.Object({ ...modeParameter, ...paging, ...dates, ...search, order }),
    query: Type.Object({ ...modeParameter, q }),
    suggestions: Type.Object({ ...modeParameter, ...dates, ...filters, q }),
    errors: Type.Object({ ...modeParameter, ...paging, ...dates, ...filters, ...stateFilters }),
    overview: Type.Object({ ...modeParameter, ...dates, ...filters }),
    trends: Type.Object({ ...modeParameter, ...dates, ...search, granularity }),
  }
}
