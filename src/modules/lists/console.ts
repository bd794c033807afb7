/**
 * Routes of the allow, block and watch lists. All members may read, add and remove entries, because
 * this is part of deciding about orders; owners and admins import and export whole lists.
 */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery, readSearchText } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { modeParameter, ownerOf } from '../access/index.ts'
import type { EntryFault, Lists } from './service.ts'
import { LIST_KINDS, LISTS } from './tables.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const PATH = '/console/api/lists'
const VALUE_MAX_CHARS = 512
const REASON_MAX_CHARS = 200
/** Enough for the largest list. */
const CSV_MAX_BYTES = 8_000_000

export function listConsoleRoutes(app: App, { lists }: { lists: Lists }): void {
  const filters = Type.Object({
    ...modeParameter,
    ...pageQuery,
    list: Type.Optional(choice(LISTS)),
    kind: Type.Optional(choice(LIST_KINDS)),
    value: Type.Optional(Type.String({ maxLength: VALUE_MAX_CHARS })),
  })
  app.get(PATH, { config: MEMBER, schema: { querystring: filters } }, async (request) => {
    const { list, kind, value, cursor, limit = PAGE_ROWS_DEFAULT } = request.query
    if (cursor !== undefined && !isUuid(cursor)) {
      throw invalidRequest('cursor', 'cursor is not one of an earlier page')
    }
    const text = readSearchText('value', value?.trim())
    const filter = { list, kind, value: text, before: cursor, limit }
    return envelope('Entries', await lists.list(ownerOf(request.member, request.query), filter))
  })

  const entry = Type.Object({
    ...modeParameter,
    list: choice(LISTS),
    kind: choice(LIST_KINDS),
    value: Type.String({ minLength: 1, maxLength: VALUE_MAX_CHARS }),
    reason: Type.Optional(Type.String({ maxLength: REASON_MAX_CHARS })),
    expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  })
  app.post(PATH, { config: MEMBER, schema: { body: entry } }, async ({ member, body }) => {
    const { mode: _mode, ...values } = body
    return envelope(
      'Entry stored',
      orRefuse(await lists.add(ownerOf(member, body), values, member.user_id)),
    )
  })

  const removed = {
    params: Type.Object({ id: Type.String() }),
    querystring: Type.Object(modeParameter),
  }
  app.delete(`${PATH}/:id`, { config: MEMBER, schema: removed }, async (request) => {
    const { member, params, query } = request
    const gone = await lists.remove(ownerOf(member, query), params.id, member.user_id)
    return envelope('Entry removed', found(gone))
  })

  const owned = Type.Object(modeParameter)
  const exporting = { config: { ...ADMIN, fresh_factor: true }, schema: { querystring: owned } }
  app.get(`${PATH}/export`, exporting, async (request) =>
    envelope('Lists', { csv: await lists.exportCsv(ownerOf(request.member, request.query)) }),
  )

  const csv = Type.Object({
    ...modeParameter,
    csv: Type.String({ minLength: 1, maxLength: CSV_MAX_BYTES }),
  })
  const importing = {
    config: { ...ADMIN, body: { max_bytes: CSV_MAX_BYTES } },
    schema: { body: csv },
  }
  app.post(`${PATH}/import`, importing, async ({ member, body }) =>
    envelope(
      'Lists imported',
      orRefuse(await lists.importCsv(ownerOf(member, body), body.csv, member.user_id)),
    ),
  )
}

function orRefuse<Result extends object>(result: Result | EntryFault): Result {
  if ('field' in result) throw invalidRequest(result.field, result.message)
  return result
}
