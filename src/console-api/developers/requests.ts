/** The request log: all members may look what arrived and what was answered. */
import { Type } from 'typebox'
import { type Accounts, requireMember } from '../../modules/accounts/index.ts'
import type { RequestReading } from '../../modules/requests/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'

export type RequestRouteDependencies = { accounts: Accounts; request_reading: RequestReading }

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const PATH_MAX_CHARS = 300

const listQuery = Type.Object({
  org_id: Type.String(),
  mode: Type.Optional(choice(['live', 'test'])),
  status: Type.Optional(choice(['2xx', '4xx', '5xx'])),
  method: Type.Optional(choice(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])),
  path: Type.Optional(Type.String({ maxLength: PATH_MAX_CHARS })),
  key_id: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

export function requestRoutes(app: App, deps: RequestRouteDependencies): void {
  const { accounts, request_reading } = deps
  app.get(
    '/console/api/requests',
    { config: { access: 'portal', rate_class: 'console' }, schema: { querystring: listQuery } },
    async (request) => {
      const { org_id, status, path, cursor, limit = LISTED_DEFAULT, ...rest } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (cursor !== undefined && !isUuid(cursor)) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      if (rest.key_id !== undefined && !isUuid(rest.key_id)) {
        throw invalidRequest('key_id', 'key_id is not the id of a key')
      }
      if (path?.includes('\0') === true) {
        throw invalidRequest('path', 'path contains characters that cannot be stored')
      }
      const filter = {
        mode: 'live' as const,
        ...rest,
        path_prefix: path === '' ? undefined : path,
        status_class: status === undefined ? undefined : Number(status[0]),
      }
      const page = { after: cursor, limit }
      return envelope('Requests', await request_reading.list(org_id, filter, page))
    },
  )
}
