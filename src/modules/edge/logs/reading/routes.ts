/** Specification, "Edge devices and logs": readings of live logs for members of the organization. */
import type { App } from '../../../../platform/http/app.ts'
import { envelope, responses } from '../../../../platform/http/envelope.ts'
import { sendExactNumbers } from '../../../../platform/http/exact-numbers.ts'
import { PAGE_DEFAULT } from '../../../../platform/http/paging.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Member } from '../../../access/index.ts'
import { memberOperation } from '../../member-operation.ts'
import { readQuery } from './query-parameters.ts'
import { type ReadingLimits, readingSchemas } from './schema.ts'
import type { LogReading } from './service.ts'

export type LogReadingRouteDependencies = {
  reading: LogReading
  field_limits: ReadingLimits
}

const LISTED = 'Logs'
const FOUND = 'Logs found'
const GROUPED = 'Error groups'
const SUMMED = 'Overview'
const DRAWN = 'Trends'

export function edgeLogReadingRoutes(app: App, deps: LogReadingRouteDependencies): void {
  const { reading, field_limits } = deps
  const schemas = readingSchemas(field_limits)

  app.get(
    '/v1/edge/logs',
    {
      ...memberOperation('listEdgeLogs', 'List logs, newest first', {
        'x-open-point': 'OP-15, OP-18, OP-63, OP-65, OP-75, OP-143, OP-145',
        querystring: schemas.list,
        response: responses(schemas.contents.logs, LISTED),
      }),
      onSend: sendExactNumbers,
    },
    async ({ member, query }) =>
      envelope(LISTED, await reading.list(liveOwner(member), { ...PAGE_DEFAULT, ...query })),
  )

  app.get(
    '/v1/edge/logs/search',
    {
      ...memberOperation('searchEdgeLogs', 'Search logs by words and fields, newest first', {
        'x-open-point': 'OP-13, OP-15, OP-18, OP-63, OP-65, OP-73, OP-75, OP-143, OP-144, OP-145',
        querystring: schemas.search,
        response: responses(schemas.contents.foundLogs, FOUND),
      }),
      onSend: sendExactNumbers,
    },
    async ({ member, query }) => {
      const owner = liveOwner(member)
      const page = await reading.list(owner, { ...PAGE_DEFAULT, ...query })
      const isEmpty = page.pagination.total === 0
      const suggestions = isEmpty ? await reading.suggest(owner, query) : []
      return envelope(FOUND, { ...page, query: readQuery(query.q), suggestions })
    },
  )

  app.get(
    '/v1/edge/errors',
    memberOperation('listEdgeErrors', 'List error groups, most frequent first', {
      'x-open-point': 'OP-12, OP-18, OP-63, OP-65, OP-69, OP-75, OP-143, OP-144',
      querystring: schemas.errors,
      response: responses(schemas.contents.errorGroups, GROUPED),
    }),
    async ({ member, query }) =>
      envelope(GROUPED, await reading.errors(liveOwner(member), { ...PAGE_DEFAULT, ...query })),
  )

  app.get(
    '/v1/edge/overview',
    memberOperation('getEdgeOverview', 'Get the numbers of logs, devices and errors', {
      'x-open-point': 'OP-12, OP-63, OP-65, OP-66, OP-75, OP-143, OP-144',
      querystring: schemas.overview,
      response: responses(schemas.contents.overview, SUMMED),
    }),
    async ({ member, query }) => envelope(SUMMED, await reading.overview(liveOwner(member), query)),
  )

  app.get(
    '/v1/edge/trends',
    memberOperation('getEdgeTrends', 'Get the number of logs over time', {
      'x-open-point': 'OP-14, OP-18, OP-63, OP-65, OP-75, OP-143, OP-144',
      querystring: schemas.trends,
      response: responses(schemas.contents.trends, DRAWN),
    }),
    async ({ member, query }) =>
      envelope(DRAWN, await reading.trends(liveOwner(member), { granularity: 'day', ...query })),
  )
}

const liveOwner = ({ org_id }: Member): Owner => ({ org_id, mode: 'live' })
