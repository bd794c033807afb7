/** Counts by field and names of members of data for the log explorer of the console. */
import { Type } from 'typebox'
import type { App } from '../../../../platform/http/app.ts'
import { envelope } from '../../../../platform/http/envelope.ts'
import { choice } from '../../../../platform/http/schemas.ts'
import { modeParameter, ownerOf } from '../../../access/index.ts'
import { type ReadingLimits, readingQueries } from '../reading/schema.ts'
import { MEASURES } from './schema.ts'
import type { LogAnalysis } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const FIELD_MAX_CHARS = 256
const VALUES_DEFAULT = 10
const VALUES_MAX = 200

export function analysisRoutes(
  app: App,
  { analysis, field_limits }: { analysis: LogAnalysis; field_limits: ReadingLimits },
): void {
  const { dates, filters, q } = readingQueries(field_limits)
  const logs = { ...modeParameter, ...dates, ...filters, q: Type.Optional(q) }
  const name = () => Type.String({ minLength: 1, maxLength: FIELD_MAX_CHARS })

  app.get(
    '/console/api/edge/values',
    {
      config: MEMBER,
      schema: {
        querystring: Type.Object({
          ...logs,
          field: name(),
          contains: Type.Optional(Type.String({ maxLength: FIELD_MAX_CHARS })),
          number: Type.Optional(name()),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: VALUES_MAX })),
        }),
      },
    },
    async ({ member, query }) => {
      const { limit = VALUES_DEFAULT } = query
      const values = await analysis.values(ownerOf(member, query), { ...query, limit })
      return envelope('Values', values)
    },
  )

  app.get(
    '/console/api/edge/series',
    {
      config: MEMBER,
      schema: {
        querystring: Type.Object({
          ...logs,
          field: name(),
          measure: Type.Optional(choice(MEASURES)),
          number: Type.Optional(name()),
        }),
      },
    },
    async ({ member, query }) => {
      const { measure = 'count' } = query
      const series = await analysis.series(ownerOf(member, query), { ...query, measure })
      return envelope('Series', series)
    },
  )

  app.get(
    '/console/api/edge/members',
    { config: MEMBER, schema: { querystring: Type.Object(logs) } },
    async ({ member, query }) =>
      envelope('Members of data', await analysis.members(ownerOf(member, query), query)),
  )
}
