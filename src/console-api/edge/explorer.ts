/** What the log explorer draws and looks into: the histogram, and groups of errors. */
import { Type } from 'typebox'
import type { Members } from '../../modules/accounts/index.ts'
import { type LogExplorer, type ReadingLimits, readingQueries } from '../../modules/edge/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { found } from '../found.ts'
import { mode, scopeOf } from './scope.ts'

export type ExplorerRouteDependencies = {
  accounts: Members
  explorer: LogExplorer
  field_limits: ReadingLimits
}

const config = { access: 'portal', rate_class: 'console' } as const
const FINGERPRINTS_MAX = 100
const FINGERPRINTS_MAX_CHARS = 10_000

export function explorerRoutes(app: App, deps: ExplorerRouteDependencies): void {
  const { accounts, explorer, field_limits } = deps
  const { organization, dates, filters, q } = readingQueries(field_limits)
  const scope = { ...organization, mode, ...dates }
  const fingerprints = Type.String({ minLength: 1, maxLength: FINGERPRINTS_MAX_CHARS })

  app.get(
    '/console/api/edge/histogram',
    {
      config,
      schema: { querystring: Type.Object({ ...scope, ...filters, q: Type.Optional(q) }) },
    },
    async (request) => {
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      return envelope('Histogram', await explorer.histogram(owner, request.query))
    },
  )

  app.get(
    '/console/api/edge/errors/trends',
    { config, schema: { querystring: Type.Object({ ...scope, fingerprints }) } },
    async (request) => {
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      const asked = request.query.fingerprints.split(',')
      if (asked.length > FINGERPRINTS_MAX) {
        const message = `fingerprints must not be more than ${FINGERPRINTS_MAX}`
        throw invalidRequest('fingerprints', message)
      }
      const { start_date, end_date } = request.query
      const question = { start_date, end_date, fingerprints: asked }
      return envelope('Trends of errors', await explorer.errorTrends(owner, question))
    },
  )

  app.get(
    '/console/api/edge/errors/:fingerprint',
    {
      config,
      schema: {
        params: Type.Object({ fingerprint: Type.String() }),
        querystring: Type.Object(scope),
      },
    },
    async (request) => {
      const owner = await scopeOf(accounts, userOf(request).user_id, request.query)
      const { start_date, end_date } = request.query
      const { fingerprint } = request.params
      const asked = { start_date, end_date, fingerprint }
      return envelope('Error group', found(await explorer.errorGroup(owner, asked)))
    },
  )
}
