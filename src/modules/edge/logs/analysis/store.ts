/** SQL that counts logs by any field, in total and over time. */
import type { Owner } from '../../../../platform/owner.ts'
import { HOUR_MS } from '../../../../platform/time-units.ts'
import { conditionsOf, type LogFilters } from '../filters.ts'
import type { LogReader } from '../reading/store.ts'
import type { Span } from '../reading/window.ts'
import { halvesOf, overHalves, rowsIn } from '../reading/window-sql.ts'
import { fieldExpression, hasMember, numberExpression, type Put } from './fields.ts'
import type { Measure } from './schema.ts'

type Window = Parameters<typeof rowsIn>[1]

export type ValuesQuery = {
  window: Window
  filters: LogFilters
  field: string
  /** Part of the values, in any case. */
  contains?: string | undefined
  limit: number
}

export type CountedValue = { value: string; logs: number; distinct_values: number; total: number }

/** Returns the most frequent values, from a roll-up if one has the field and the filters. */
export async function countValues(
  reader: LogReader,
  owner: Owner,
  { window, filters, field, contains = '', limit }: ValuesQuery,
): Promise<CountedValue[]> {
  const halves = halvesOf(owner, window)
  const filter = conditionsOf(filters)
  const { params, put } = createParams()
  const raw = fieldExpression(field, put)
  const counted = overHalves(
    halves,
    (where) => `select ${raw} as raw, count() as counted from edge_logs
    where ${where} and ${filter.sql} group by raw`,
  )
  const wanted = `%${contains.replace(/[\\%_]/g, '\\$&')}%`
  return await reader.query<CountedValue>(
    `select value, logs, count() over () as distinct_values, sum(logs) over () as total
    from (
      select toString(raw) as value, sum(counted) as logs from (${counted})
      where value ilike ${put('String', wanted)} group by value
    )
    order by logs desc, value limit ${put('UInt64', limit)}`,
    { ...halves.params, ...filter.params, ...params },
  )
}

export type MeasuredValue = CountedValue & {
  numbers: number
  average: number | null
  p50: number | null
  p95: number | null
  max: number | null
}

/** The statistics of a number by value. Quantiles of more than 8,192 numbers are estimates. */
const STATISTICS: Record<Exclude<Measure, 'count'>, string> = {
  average: 'avg(number)',
  p50: 'quantile(0.5)(number)',
  p95: 'quantile(0.95)(number)',
  max: 'max(number)',
}

/** Returns the values with the most logs that have a member of data, and the statistics of it. */
export async function measureValues(
  reader: LogReader,
  owner: Owner,
  { window, filters, field, path, limit }: ValuesQuery & { path: string },
): Promise<MeasuredValue[]> {
  const rows = rowsIn(owner, window)
  const filter = conditionsOf(filters)
  const { params, put } = createParams()
  const statistics = Object.entries(STATISTICS).map(([name, sql]) => `${sql} as ${name}`)
  return await reader.query<MeasuredValue>(
    `select *, count() over () as distinct_values, sum(logs) over () as total from (
      select toString(raw) as value, count() as logs, count(number) as numbers,
        ${statistics.join(', ')}
      from (
        select ${fieldExpression(field, put)} as raw, ${numberExpression(path, put)} as number
        from edge_logs where ${rows.sql} and ${filter.sql} and ${hasMember(path, put)}
      ) group by value
    )
    order by logs desc, value limit ${put('UInt64', limit)}`,
    { ...rows.params, ...filter.params, ...params },
  )
}

/** `series` is the position in `values` from 1, or 0 for all other values. */
export type SeriesPoint = {
  bucket_ms: number
  series: number
  logs: number
  measured: number | null
}

export type SeriesQuery = {
  window: Span
  filters: LogFilters
  field: string
  values: readonly string[]
  bucketMs: number
}

/** Counts of whole hours come from a roll-up if one has the field and the filters. */
export async function countSeries(
  reader: LogReader,
  owner: Owner,
  { window, filters, field, values, bucketMs }: SeriesQuery,
): Promise<SeriesPoint[]> {
  const filter = conditionsOf(filters)
  const { params, put } = createParams()
  const raw = fieldExpression(field, put)
  const at = bucketMs % HOUR_MS === 0 ? 'hour_ms' : 'timestamp_ms'
  const halves = halvesOf(owner, window)
  const rows = rowsIn(owner, window)
  const select = (where: string) => `select ${at} as at, ${raw} as raw, count() as counted
    from edge_logs where ${where} and ${filter.sql} group by at, raw`
  const counted = at === 'hour_ms' ? overHalves(halves, select) : select(rows.sql)
  return await reader.query<SeriesPoint>(
    `select at - positiveModulo(at, ${put('Int64', bucketMs)}) as bucket_ms,
      indexOf(${put('Array(String)', values)}, toString(raw)) as series, sum(counted) as logs
    from (${counted}) group by bucket_ms, series`,
    { ...halves.params, ...rows.params, ...filter.params, ...params },
  )
}

export async function measureSeries(
  reader: LogReader,
  owner: Owner,
  query: SeriesQuery & { path: string; measure: Exclude<Measure, 'count'> },
): Promise<SeriesPoint[]> {
  const { window, filters, field, path, measure } = query
  const rows = rowsIn(owner, window)
  const filter = conditionsOf(filters)
  const { params, put } = createParams()
  const series = `indexOf(${put('Array(String)', query.values)}, toString(${fieldExpression(field, put)}))`
  return await reader.query<SeriesPoint>(
    `select bucket_ms, series, count() as logs, ${STATISTICS[measure]} as measured from (
      select timestamp_ms - positiveModulo(timestamp_ms, ${put('Int64', query.bucketMs)}) as bucket_ms,
        ${series} as series, ${numberExpression(path, put)} as number
      from edge_logs where ${rows.sql} and ${filter.sql} and ${hasMember(path, put)}
    ) group by bucket_ms, series`,
    { ...rows.params, ...filter.params, ...params },
  )
}

/** Returns the data of the newest matching logs that have some. */
export async function sampleData(
  reader: LogReader,
  owner: Owner,
  query: { window: Window; filters: LogFilters; limit: number; bytesMax: number },
): Promise<string[]> {
  const rows = rowsIn(owner, query.window)
  const filter = conditionsOf(query.filters)
  const found = await reader.query<{ data: string }>(
    `select data from edge_logs
    where ${rows.sql} and ${filter.sql} and length(data) between 1 and {bytes_max:UInt64}
    order by hour_ms desc, timestamp_ms desc limit {limit:UInt64}`,
    { ...rows.params, ...filter.params, bytes_max: query.bytesMax, limit: query.limit },
  )
  return found.map(({ data }) => data)
}

function createParams(): { params: Record<string, unknown>; put: Put } {
  const params: Record<string, unknown> = {}
  let count = 0
  const put: Put = (type, value) => {
    count += 1
    params[`by_${count}`] = value
    return `{by_${count}:${type}}`
  }
  return { params, put }
}
