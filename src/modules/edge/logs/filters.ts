/**
 * The filters of logs, as SQL for the engine and as a predicate for entries that have not reached it
 * yet. Both must accept the same entries.
 */
import type { Level } from './level.ts'
import { sqlOf } from './query/conditions.ts'
import { matcherOf, type QueriedEntry } from './query/matcher.ts'
import { parseQuery } from './query/parse.ts'

export type LogFilters = {
  levels?: readonly Level[] | undefined
  device_id?: string | undefined
  category?: string | undefined
  environment?: string | undefined
  /** One of several for a group that was merged. */
  error_fingerprint?: string | readonly string[] | undefined
  /** Query in the language of query/parse.ts. */
  q?: string | undefined
  /** What `time:yesterday` in `q` refers to in SQL; required for such a query. */
  now_ms?: number | undefined
}

const EXACT = ['device_id', 'category', 'environment', 'error_fingerprint'] as const

/** An invalid query matches nothing; routes reject it before it gets here. */
const NOTHING = { sql: '0', params: {} }

/** The condition of filters without any. */
export const NO_FILTER = '1'

/** Conditions on rows of `edge_logs`, with the values of their parameters. */
export function conditionsOf(filters: LogFilters): {
  sql: string
  params: Record<string, unknown>
} {
  const conditions: string[] = []
  const params: Record<string, unknown> = {}
  const put = (name: string, type: string, value: unknown): string => {
    params[`filter_${name}`] = value
    return `{filter_${name}:${type}}`
  }
  if (filters.levels !== undefined) {
    conditions.push(`level in ${put('levels', 'Array(String)', filters.levels)}`)
  }
  for (const name of EXACT) {
    const value = filters[name]
    if (typeof value === 'string') conditions.push(`${name} = ${put(name, 'String', value)}`)
    else if (value) conditions.push(`${name} in ${put(name, 'Array(String)', value)}`)
  }
  if (filters.q !== undefined) {
    const query = parseQuery(filters.q)
    if ('problem' in query) return NOTHING
    let count = 0
    const putNext = (type: string, value: unknown) => {
      count += 1
      return put(`q_${count}`, type, value)
    }
    conditions.push(sqlOf(query.node, { put: putNext, now_ms: filters.now_ms }))
  }
  return { sql: conditions.join(' and ') || NO_FILTER, params }
}

/** Compiles the filters into a predicate for many entries. */
export function createMatcher(filters: LogFilters): (entry: QueriedEntry) => boolean {
  const { levels, q } = filters
  const exact = EXACT.flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [{ name, values: [value].flat() }]
  })
  const query = q === undefined ? undefined : parseQuery(q)
  const matches = query === undefined || 'problem' in query ? undefined : matcherOf(query.node)
  return (entry) =>
    (levels === undefined || levels.includes(entry.level)) &&
    exact.every(({ name, values }) => values.includes(entry[name])) &&
    (query === undefined || matches?.(entry) === true)
}
