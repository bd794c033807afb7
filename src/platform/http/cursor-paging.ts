/** Query parameters of lists that are paged by cursor, newest row first. */
import { Type } from 'typebox'
import { timesOf } from '../date-range.ts'
import { isUuid } from '../ids.ts'
import type { HistoryBounds } from '../postgres/history-page.ts'
import { invalidRequest } from './errors.ts'
import { choice } from './schemas.ts'

export const PAGE_ROWS_DEFAULT = 50
export const PAGE_ROWS_MAX = 200
const DATE_MAX_CHARS = 64

export const pageQuery = {
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
}

/** `from` and `to` are ISO 8601 dates or times, both included. */
export const cursorQuery = {
  from: Type.Optional(Type.String({ maxLength: DATE_MAX_CHARS })),
  to: Type.Optional(Type.String({ maxLength: DATE_MAX_CHARS })),
  /** An empty form field is the default, the newest first. */
  sort: Type.Optional(choice(['', 'newest', 'oldest'])),
  ...pageQuery,
}

export type CursorQuery = {
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
  sort?: '' | 'newest' | 'oldest' | undefined
}

/** @throws AppError 400 naming the parameter */
export function readCursorQuery(query: CursorQuery): HistoryBounds {
  const { from, to, cursor, limit = PAGE_ROWS_DEFAULT, sort } = query
  const times = timesOf({ start_date: from || undefined, end_date: to || undefined })
  if ('field' in times) {
    const field = times.field === 'start_date' ? 'from' : 'to'
    throw invalidRequest(field, `${field} ${times.problem.replace('start_date', 'from')}`)
  }
  if (cursor !== undefined && !isUuid(cursor)) {
    throw invalidRequest('cursor', 'cursor is not one of an earlier page')
  }
  return {
    from_ms: times.start_ms,
    until_ms: times.end_ms,
    after: cursor,
    limit,
    sort: sort || undefined,
  }
}

/** An empty form field is no filter. @throws AppError 400 naming the field */
export function readSearchText(field: string, text: string | undefined): string | undefined {
  if (text?.includes('\0') === true) {
    throw invalidRequest(field, `${field} contains characters that cannot be stored`)
  }
  return text === '' ? undefined : text
}
