/** Specification, "Edge devices and logs": what members of an organisation read of its live logs. */
import type { FastifyRequest } from 'fastify'
import { userOf } from '../../../../platform/http/access.ts'
import type { App } from '../../../../platform/http/app.ts'
import { envelope, responses } from '../../../../platform/http/envelope.ts'
import { PAGE_DEFAULT } from '../../../../platform/http/paging.ts'
import { type Members, requireMember } from '../../../accounts/index.ts'
import type { Scope } from './hours.ts'
import { type ReadingLimits, readingSchemas } from './schema.ts'
import type { LogReading } from './service.ts'

export type LogReadingRouteDependencies = {
  accounts: Members
  reading: LogReading
  field_limits: ReadingLimits
}

const LISTED = 'Logs'
const FOUND = 'Logs found'
const GROUPED = 'Error groups'
const SUMMED = 'Overview'
const DRAWN = 'Trends'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['Edge']

export function edgeLogReadingRoutes(app: App, deps: LogReadingRouteDependencies): void {
  const schemas = readingSchemas(deps.field_limits)
  pageRoutes(app, deps, schemas)
  summaryRoutes(app, deps, schemas)
}

type Schemas = ReturnType<typeof readingSchemas>

function pageRoutes(app: App, deps: LogReadingRouteDependencies, schemas: Schemas): void {
  const { reading } = deps

  app.get(
    '/v1/edge/logs',
    {
      config,
      schema: {
        operationId: 'listEdgeLogs',
        summary: 'Logs of devices, the newest first',
        tags,
        'x-open-point': 'OP-15, OP-18, OP-63, OP-65, OP-75',
        querystring: schemas.list,
        response: responses(schemas.contents.logs, LISTED),
      },
    },
    async (request) => {
      // The search is a route of its own: what else may be in the query was not validated.
      const asked = { ...PAGE_DEFAULT, ...request.query, q: undefined }
      return envelope(LISTED, await reading.list(await scopeOf(deps, request), asked))
    },
  )

  app.get(
    '/v1/edge/logs/search',
    {
      config,
      schema: {
        operationId: 'searchEdgeLogs',
        summary: 'Logs by the words of their message, the newest first',
        tags,
        'x-open-point': 'OP-13, OP-15, OP-18, OP-63, OP-65, OP-73, OP-75',
        querystring: schemas.search,
        response: responses(schemas.contents.logs, FOUND),
      },
    },
    async (request) => {
      const { q, page, limit, start_date, end_date } = { ...PAGE_DEFAULT, ...request.query }
      const asked = { q, page, limit, start_date, end_date }
      return envelope(FOUND, await reading.list(await scopeOf(deps, request), asked))
    },
  )

  app.get(
    '/v1/edge/errors',
    {
      config,
      schema: {
        operationId: 'listEdgeErrors',
        summary: 'Groups of errors, the most frequent first',
        tags,
        'x-open-point': 'OP-12, OP-18, OP-63, OP-65, OP-69, OP-75',
        querystring: schemas.errors,
        response: responses(schemas.contents.errorGroups, GROUPED),
      },
    },
    async (request) => {
      const asked = { ...PAGE_DEFAULT, ...request.query }
      return envelope(GROUPED, await reading.errors(await scopeOf(deps, request), asked))
    },
  )
}

function summaryRoutes(app: App, deps: LogReadingRouteDependencies, schemas: Schemas): void {
  const { reading } = deps

  app.get(
    '/v1/edge/overview',
    {
      config,
      schema: {
        operationId: 'getEdgeOverview',
        summary: 'Numbers of logs, devices and errors',
        tags,
        'x-open-point': 'OP-12, OP-63, OP-65, OP-66, OP-75',
        querystring: schemas.overview,
        response: responses(schemas.contents.overview, SUMMED),
      },
    },
    async (request) =>
      envelope(SUMMED, await reading.overview(await scopeOf(deps, request), request.query)),
  )

  app.get(
    '/v1/edge/trends',
    {
      config,
      schema: {
        operationId: 'getEdgeTrends',
        summary: 'How many logs there were over time',
        tags,
        'x-open-point': 'OP-14, OP-18, OP-63, OP-65, OP-75',
        querystring: schemas.trends,
        response: responses(schemas.contents.trends, DRAWN),
      },
    },
    async (request) => {
      const { start_date, end_date, granularity = 'day' } = request.query
      const asked = { start_date, end_date, granularity }
      return envelope(DRAWN, await reading.trends(await scopeOf(deps, request), asked))
    },
  )
}

/** The same answer for organisations that do not exist. */
async function scopeOf(
  { accounts }: LogReadingRouteDependencies,
  request: FastifyRequest<{ Querystring: { org_id: string } }>,
): Promise<Scope> {
  const { org_id } = request.query
  await requireMember(accounts, userOf(request).user_id, org_id)
  return { org_id, mode: 'live' }
}
