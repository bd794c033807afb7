/** Parses the query parameters of the log readings; an invalid one is a 400 that names the field. */
import type { DateFault, Dates, Window } from '../../../../platform/date-range.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import type { LogFilters } from '../filters.ts'
import { LEVELS, type Level } from '../level.ts'
import { parseQuery } from '../query/parse.ts'
import { readingOf } from '../query/reading.ts'
import type { QueryReading } from '../query/schema.ts'
import type { Query } from '../query/tree.ts'
import { spanOf, windowOf } from './window.ts'

/** Query parameters that filter the logs. */
export type FilterParameters = Omit<LogFilters, 'levels'> & {
  /** Separated by commas. */
  level?: string | undefined
}

export function parseFilters({ level, q, ...exact }: FilterParameters): LogFilters {
  return {
    // An empty text filters nothing, as it counts as not sent in a log entry.
    device_id: exact.device_id || undefined,
    category: exact.category || undefined,
    environment: exact.environment || undefined,
    error_fingerprint: exact.error_fingerprint || undefined,
    levels: level === undefined ? undefined : parseLevels(level),
    q: q === undefined ? undefined : checkedQuery(q),
  }
}

export function parseWindow(dates: Dates, now: Date, windowDays: number): Window {
  return withoutFault(windowOf(dates, now, windowDays))
}

export function parseSpan(dates: Dates, now: Date, spanMs: number) {
  return withoutFault(spanOf(dates, now, spanMs))
}

function parseLevels(text: string): Level[] {
  const levels = text.split(',').map((level) => level.trim())
  for (const level of levels) {
    if (!LEVELS.includes(level as Level)) {
      throw invalidRequest('level', `level must be one or more of ${LEVELS.join(', ')}`)
    }
  }
  return [...new Set(levels as Level[])]
}

/** Describes how a query was read. @throws AppError 400 naming `q` */
export const readQuery = (q: string): QueryReading => readingOf(parsedQuery(q))

function parsedQuery(q: string): Query {
  const query = parseQuery(q)
  if ('problem' in query) throw invalidRequest('q', `q ${query.problem}`)
  return query
}

function checkedQuery(q: string): string {
  parsedQuery(q)
  return q
}

function withoutFault<T extends object>(read: T | DateFault): T {
  if (!('problem' in read)) return read
  throw invalidRequest(read.field, `${read.field} ${read.problem}`)
}
