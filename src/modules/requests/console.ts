/** The request log, which all members may read. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import type { RequestReading } from './reading.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

const PATH_MAX_CHARS = 300

const querystring = Type.Object({
  mode: Type.Optional(choice(['live', 'test'])),
  status: Type.Optional(choice(['2xx', '4xx', '5xx'])),
  method: Type.Optional(choice(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])),
  path: Type.Optional(Type.String({ maxLength: PATH_MAX_CHARS })),
  key_id: Type.Optional(Type.String()),
  ...pageQuery,
})

type Dependencies = { request_reading: RequestReading }

export function requestRoutes(app: App, { request_reading }: Dependencies): void {
  app.get('/console/api/requests', { config: MEMBER, schema: { querystring } }, async (request) => {
    const { org_id } = request.member
    const { status, path, cursor, limit = PAGE_ROWS_DEFAULT, ...rest } = request.query
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
  })
}
