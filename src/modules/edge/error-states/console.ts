/** States of error groups, for members of the organization. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import { type ReadingLimits, readingQueries } from '../logs/reading/schema.ts'
import { stateChangeMembers } from './schema.ts'
import type { ErrorStatesService } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const FINGERPRINTS_MAX = 100
const FINGERPRINTS_MAX_CHARS = 10_000

export function errorStateRoutes(
  app: App,
  { states, field_limits }: { states: ErrorStatesService; field_limits: ReadingLimits },
): void {
  const { dates } = readingQueries(field_limits)
  const fingerprints = Type.String({ minLength: 1, maxLength: FINGERPRINTS_MAX_CHARS })

  app.get(
    '/console/api/edge/errors/states',
    {
      config: MEMBER,
      schema: { querystring: Type.Object({ ...modeParameter, ...dates, fingerprints }) },
    },
    async ({ member, query }) => {
      const wanted = [...new Set(query.fingerprints.split(','))]
      if (wanted.length > FINGERPRINTS_MAX) {
        const message = `fingerprints must not have more than ${FINGERPRINTS_MAX} items`
        throw invalidRequest('fingerprints', message)
      }
      const request = { ...query, fingerprints: wanted }
      return envelope('Error states', await states.read(ownerOf(member, query), request))
    },
  )

  app.patch(
    '/console/api/edge/errors/:fingerprint/state',
    {
      config: MEMBER,
      schema: {
        params: Type.Object({ fingerprint: Type.String() }),
        body: Type.Object({ ...modeParameter, ...stateChangeMembers }),
      },
    },
    async ({ member, params, body }) => {
      const owner = { ...ownerOf(member, body), user_id: member.user_id }
      const state = await states.change(owner, params.fingerprint, body)
      return envelope('State changed', state)
    },
  )
}
