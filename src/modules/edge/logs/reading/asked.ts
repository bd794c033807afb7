/** What a request asks for, read from its query; what cannot be read is a 400 that names the field. */
import { invalidRequest } from '../../../../platform/http/errors.ts'
import type { DateFault, Dates, Window } from '../../../../platform/told-dates.ts'
import type { LogFilters } from '../filters.ts'
import { LEVELS, type Level } from '../level.ts'
import { parseSearch, SEARCH_WORDS_MAX } from './search-query.ts'
import { spanOf, windowOf } from './window.ts'

/** Query parameters of GET /edge/logs that say which logs are meant. */
export type AskedFilters = {
  device_id?: string | undefined
  /** Separated by commas. */
  level?: string | undefined
  category?: string | undefined
  environment?: string | undefined
  error_fingerprint?: string | undefined
  q?: string | undefined
}

export function askedFilters({ level, q, ...exact }: AskedFilters): LogFilters {
  return {
    // As in a log entry, an empty text says nothing.
    device_id: exact.device_id || undefined,
    category: exact.category || undefined,
    environment: exact.environment || undefined,
    error_fingerprint: exact.error_fingerprint || undefined,
    levels: level === undefined ? undefined : askedLevels(level),
    q: q === undefined ? undefined : askedSearch(q),
  }
}

export function askedWindow(dates: Dates, now: Date, windowDays: number): Window {
  return withoutFault(windowOf(dates, now, windowDays))
}

export function askedSpan(dates: Dates, now: Date, spanMs: number) {
  return withoutFault(spanOf(dates, now, spanMs))
}

function askedLevels(text: string): Level[] {
  const levels = text.split(',').map((level) => level.trim())
  for (const level of levels) {
    if (!LEVELS.includes(level as Level)) {
      throw invalidRequest('level', `level must be one or several of ${LEVELS.join(', ')}`)
    }
  }
  return [...new Set(levels as Level[])]
}

function askedSearch(q: string): string {
  if (parseSearch(q) === undefined) {
    throw invalidRequest('q', `q must have at least one word and at most ${SEARCH_WORDS_MAX}`)
  }
  return q
}

function withoutFault<T extends object>(read: T | DateFault): T {
  if (!('problem' in read)) return read
  throw invalidRequest(read.field, `${read.field} ${read.problem}`)
}
