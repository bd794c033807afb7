/**
 * The filters of logs, as SQL for the engine and as a predicate for entries that have not reached it
 * yet. Both must accept the same entries.
 */
import type { Level } from './level.ts'
import type { StoredLog } from './reading/record.ts'
import { matchesSearch, parseSearch } from './reading/search-query.ts'

export type LogFilters = {
  levels?: readonly Level[] | undefined
  device_id?: string | undefined
  category?: string | undefined
  environment?: string | undefined
  error_fingerprint?: string | undefined
  /** Search in the language of reading/search-query.ts. */
  q?: string | undefined
}

const EXACT = ['device_id', 'category', 'environment', 'error_fingerprint'] as const

/** The members that filters compare. */
export type FilteredEntry = Pick<StoredLog, 'level' | 'message' | (typeof EXACT)[number]>

/** Must be spelled exactly as in the text index of the table, or ClickHouse does not use the index. */
const SEARCHED = 'lower(if(empty(words), message, words))'

/** An invalid search matches nothing; routes reject it before it gets here. */
const NOTHING = { sql: '0', params: {} }

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
    if (value !== undefined) conditions.push(`${name} = ${put(name, 'String', value)}`)
  }
  if (filters.q !== undefined) {
    const search = parseSearch(filters.q)
    if (search === undefined) return NOTHING
    conditions.push(`hasAllTokens(${SEARCHED}, ${put('words', 'Array(String)', search.words)})`)
    for (const [index, phrase] of search.phrases.entries()) {
      const text = put(`phrase_${index}`, 'String', phrase.join(' '))
      conditions.push(`hasPhrase(${SEARCHED}, ${text})`)
    }
  }
  return { sql: conditions.join(' and ') || '1', params }
}

/** Compiles the filters into a predicate for many entries. */
export function createMatcher(filters: LogFilters): (entry: FilteredEntry) => boolean {
  const { levels, q } = filters
  const exact = EXACT.flatMap((name) => {
    const value = filters[name]
    return value === undefined ? [] : [{ name, value }]
  })
  const search = q === undefined ? undefined : parseSearch(q)
  return (entry) =>
    (levels === undefined || levels.includes(entry.level)) &&
    exact.every(({ name, value }) => entry[name] === value) &&
    (q === undefined || (search !== undefined && matchesSearch(search, entry.message)))
}
