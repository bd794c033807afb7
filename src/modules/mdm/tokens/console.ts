/** Console routes of enrollment tokens: the list with those that no longer work, and ending one. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery } from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Tokens } from './service.ts'

const oneToken = Type.Object({ token_id: Type.String() })

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function tokenConsoleRoutes(app: App, { tokens }: { tokens: Tokens }): void {
  app.get(
    '/console/api/mdm/enrollment-tokens',
    { config: MEMBER, schema: { querystring: Type.Object(pageQuery) } },
    async ({ member: { org_id, role }, query: { cursor, limit = PAGE_ROWS_DEFAULT } }) => {
      if (cursor !== undefined && !isUuid(cursor)) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      const place = { after: cursor, limit }
      return envelope('Enrollment tokens', await tokens.listAll(org_id, role, place))
    },
  )

  app.post(
    '/console/api/mdm/enrollment-tokens/:token_id/end',
    { config: ADMIN, schema: { params: oneToken } },
    async ({ member: { org_id, user_id }, params }) => {
      const token = found(await tokens.end(user_id, org_id, params.token_id))
      return envelope('Enrollment token ended', token)
    },
  )
}
