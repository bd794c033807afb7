/** Parses the query parameters of the log readings; an invalid one is a 400 that names the field. */
import {
  type DateFault,
  type Dates,
  timesOf,
  type Window,
} from '../../../../platform/date-range.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import type { LogFilters } from '../filters.ts'
import { LEVELS, type Level } from '../level.ts'
import { parseQuery } from '../query/parse.ts'
import { readingOf } from '../query/reading.ts'
import type { QueryReading } from '../query/schema.ts'
import { type Bounds, intersectionOf, timeOf } from '../query/time.ts'
import type { Query } from '../query/tree.ts'
import { type Span, spanOf, windowOf } from './window.ts'

/** Query parameters that filter the logs. */
export type FilterParameters = Omit<LogFilters, 'levels' | 'error_fingerprint'> & {
  error_fingerprint?: string | undefined
  /** Separated by commas. */
  level?: string | undefined
}

/** @param now what `time:yesterday` in `q` refers to, except in the live tail */
export function parseFilters({ level, q, ...exact }: FilterParameters, now?: Date): LogFilters {
  return {
    // An empty text filters nothing, as it counts as not sent in a log entry.
    device_id: exact.device_id || undefined,
    category: exact.category || undefined,
    environment: exact.environment || undefined,
    error_fingerprint: exact.error_fingerprint || undefined,
    levels: level === undefined ? undefined : parseLevels(level),
    q: q === undefined ? undefined : checkedQuery(q),
    now_ms: now?.getTime(),
  }
}

export type TimedParameters = Dates & Pick<FilterParameters, 'q'>

/** A time that applies to all of `q` narrows the dates, or stands for them if there are none. */
export function parseWindow(request: TimedParameters, now: Date, windowDays: number): Window {
  const window = withoutFault(windowOf(request, now, windowDays))
  const time = timeOfQuery(request, now)
  if (time === undefined) return window
  const { received_since: _default, ...dates } = window
  return intersectionOf(dates, time)
}

/** Returns both ends, as `spanOf` does; a time of `q` narrows them. */
export function parseSpan(request: TimedParameters, now: Date, spanMs: number): Span {
  const time = timeOfQuery(request, now)
  if (time === undefined) return withoutFault(spanOf(request, now, spanMs))
  const dates = withoutFault(timesOf(request))
  const asked = intersectionOf({ from_ms: dates.start_ms, until_ms: dates.end_ms }, time)
  const until_ms = asked.until_ms ?? Math.max(now.getTime(), asked.from_ms ?? 0)
  const from_ms = asked.from_ms ?? until_ms - spanMs
  // Nothing is in both; a span has at least a moment.
  return { from_ms: Math.min(from_ms, until_ms), until_ms }
}

function timeOfQuery({ q }: TimedParameters, now: Date): Bounds | undefined {
  return q === undefined ? undefined : timeOf(parsedQuery(q).node, now.getTime())
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
