/** Histogram and error groups for the log explorer of the console. */
import { Type } from 'typebox'
import type { App } from '../../../../platform/http/app.ts'
import { envelope } from '../../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { found } from '../../../../platform/http/found.ts'
import { modeParameter, ownerOf } from '../../../access/index.ts'
import { type ReadingLimits, readingQueries } from '../reading/schema.ts'
import type { LogExplorer } from './service.ts'

export type ExplorerRouteDependencies = {
  explorer: LogExplorer
  field_limits: ReadingLimits
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const FINGERPRINTS_MAX = 100
const FINGERPRINTS = Type.String({ minLength: 1, maxLength: 10_000 })

export function explorerRoutes(app: App, deps: ExplorerRouteDependencies): void {
  const { explorer, field_limits } = deps
  const { dates, filters, q } = readingQueries(field_limits)
  const scopeQuery = { ...modeParameter, ...dates }
  app.get(
    '/console/api/edge/histogram',
    {
      config: MEMBER,
      schema: { querystring: Type.Object({ ...scopeQuery, ...filters, q: Type.Optional(q) }) },
    },
    async ({ member, query }) =>
      envelope('Histogram', await explorer.histogram(ownerOf(member, query), query)),
  )

  app.get(
    '/console/api/edge/errors/trends',
    {
      config: MEMBER,
      schema: { querystring: Type.Object({ ...scopeQuery, fingerprints: FINGERPRINTS }) },
    },
    async ({ member, query }) => {
      const owner = ownerOf(member, query)
      const { start_date, end_date } = query
      const fingerprints = query.fingerprints.split(',')
      if (fingerprints.length > FINGERPRINTS_MAX) {
        const message = `fingerprints must not have more than ${FINGERPRINTS_MAX} items`
        throw invalidRequest('fingerprints', message)
      }
      const trends = await explorer.errorTrends(owner, { start_date, end_date, fingerprints })
      return envelope('Error trends', trends)
    },
  )

  app.get(
    '/console/api/edge/errors/:fingerprint',
    {
      config: MEMBER,
      schema: {
        params: Type.Object({ fingerprint: Type.String() }),
        querystring: Type.Object(scopeQuery),
      },
    },
    async ({ member, params: { fingerprint }, query }) => {
      const { start_date, end_date } = query
      const request = { start_date, end_date, fingerprint }
      const group = await explorer.errorGroup(ownerOf(member, query), request)
      return envelope('Error group', found(group))
    },
  )
}
