/** Query parameters of lists that are walked from the newest row back. */
import { Type } from 'typebox'
import { invalidRequest } from '../platform/http/errors.ts'
import { choice } from '../platform/http/schemas.ts'
import { isUuid } from '../platform/ids.ts'
import type { Walk } from '../platform/postgres/walk.ts'
import { timesOf } from '../platform/told-dates.ts'

export const LISTED_DEFAULT = 50
export const LISTED_MAX = 200
const DATE_MAX_CHARS = 64

/** Whose rows: live ones, unless the query says otherwise. */
export const scopeQuery = {
  org_id: Type.String(),
  mode: Type.Optional(choice(['live', 'test'])),
}

/** ISO 8601, as a date or with a time, both included. */
export const walkQuery = {
  from: Type.Optional(Type.String({ maxLength: DATE_MAX_CHARS })),
  to: Type.Optional(Type.String({ maxLength: DATE_MAX_CHARS })),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
}

export type AskedWalk = {
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

/** @throws AppError that names the parameter */
export function walkOf({ from, to, cursor, limit = LISTED_DEFAULT }: AskedWalk): Walk {
  const times = timesOf({ start_date: from || undefined, end_date: to || undefined })
  if ('field' in times) {
    const field = times.field === 'start_date' ? 'from' : 'to'
    throw invalidRequest(field, `${field} ${times.problem.replace('start_date', 'from')}`)
  }
  if (cursor !== undefined && !isUuid(cursor)) {
    throw invalidRequest('cursor', 'cursor is not one of an earlier page')
  }
  return { from_ms: times.start_ms, until_ms: times.end_ms, after: cursor, limit }
}

/** An empty field of a form filters nothing. */
export function searched(field: string, text: string | undefined): string | undefined {
  if (text?.includes('\0') === true) {
    throw invalidRequest(field, `${field} contains characters that cannot be stored`)
  }
  return text === '' ? undefined : text
}
