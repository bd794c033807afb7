/** Merging and splitting of error groups, for members of the organization. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import type { ErrorMerges } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const FINGERPRINT_MAX_CHARS = 64

export function errorMergeRoutes(app: App, { merges }: { merges: ErrorMerges }): void {
  const path = '/console/api/edge/errors/:fingerprint/merges'
  const params = Type.Object({ fingerprint: Type.String() })
  const into = Type.String({ minLength: 1, maxLength: FINGERPRINT_MAX_CHARS })

  app.get(
    path,
    { config: MEMBER, schema: { params, querystring: Type.Object(modeParameter) } },
    async ({ member, params: { fingerprint }, query }) =>
      envelope('Merged groups', await merges.read(ownerOf(member, query), fingerprint)),
  )

  app.post(
    path,
    { config: MEMBER, schema: { params, body: Type.Object({ ...modeParameter, into }) } },
    async ({ member, params: { fingerprint }, body }) => {
      const actor = { ...ownerOf(member, body), user_id: member.user_id }
      return envelope('Groups merged', await merges.merge(actor, fingerprint, body.into))
    },
  )

  app.delete(
    path,
    { config: MEMBER, schema: { params, querystring: Type.Object(modeParameter) } },
    async ({ member, params: { fingerprint }, query }) => {
      const actor = { ...ownerOf(member, query), user_id: member.user_id }
      return envelope('Group split', await merges.split(actor, fingerprint))
    },
  )
}
