/** Counts of logs by any field, for facets, completion, tables and charts of the console. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { reachable } from '../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { Dates } from '../../../../platform/date-range.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../../platform/time-units.ts'
import { withMembers } from '../../error-merges/store.ts'
import { stepOf } from '../explorer/steps.ts'
import { withinTime } from '../explorer/within-time.ts'
import {
  type FilterParameters,
  parseFilters,
  parseSpan,
  parseWindow,
} from '../reading/query-parameters.ts'
import { isoTime } from '../reading/record.ts'
import type { LogReader } from '../reading/store.ts'
import { bucketsIn } from '../reading/summary.ts'
import { dataPathOf, fieldExpression } from './fields.ts'
import { membersOf } from './members.ts'
import type { DataMembers, FieldSeries, FieldValues, Measure } from './schema.ts'
import {
  type CountedValue,
  countSeries,
  countValues,
  type MeasuredValue,
  measureSeries,
  measureValues,
  type SeriesPoint,
  type SeriesQuery,
  sampleData,
} from './store.ts'

type Request = Dates & FilterParameters

export type LogAnalysis = {
  values(
    owner: Owner,
    request: Request & {
      field: string
      contains?: string | undefined
      number?: string | undefined
      limit: number
    },
  ): Promise<FieldValues>
  series(
    owner: Owner,
    request: Request & { field: string; measure: Measure; number?: string | undefined },
  ): Promise<FieldSeries>
  members(owner: Owner, request: Request): Promise<DataMembers>
}

export type LogAnalysisOptions = {
  db: Db
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  edge_window_days: number
}

const BARS_MAX = 200
const SERIES_MAX = 6
const SAMPLED_LOGS = 1000
/** Large objects are skipped, so that a sample stays below 8 MB. */
const SAMPLED_BYTES_MAX = 8192

export function createLogAnalysis(options: LogAnalysisOptions): LogAnalysis {
  const { db, clock, edge_window_days } = options
  const reader = withinTime(options.clickhouse)
  const queryOf = async (owner: Owner, request: Request) => {
    const now = clock.now()
    return {
      window: parseWindow(request, now, edge_window_days),
      filters: await withMembers(db, owner, parseFilters(request, now)),
    }
  }
  return {
    values: async (owner, request) => {
      const { limit, contains, number } = request
      const field = checkedField(request.field)
      const query = { ...(await queryOf(owner, request)), field, contains, limit }
      const path = number === undefined ? undefined : checkedNumber(number)
      const read =
        path === undefined
          ? countValues(reader, owner, query)
          : measureValues(reader, owner, { ...query, path })
      const rows: (CountedValue | MeasuredValue)[] = await reachable('Logs', read)
      return {
        field,
        distinct: rows[0]?.distinct_values ?? 0,
        total: rows[0]?.total ?? 0,
        values: rows.map((row) => ({
          value: row.value,
          count: row.logs,
          number: isMeasured(row) ? statisticsOf(row) : null,
        })),
      }
    },
    series: async (owner, request) => {
      const { measure, number } = request
      const field = checkedField(request.field)
      const path = measure === 'count' ? undefined : checkedNumber(number)
      const now = clock.now()
      const window = parseSpan(request, now, edge_window_days * DAY_MS)
      const bucketMs = stepOf(window, BARS_MAX)
      const filters = await withMembers(db, owner, parseFilters(request, now))
      const query = { window, filters, field, bucketMs }
      return await reachable(
        'Logs',
        readSeries(reader, owner, { ...query, measure, path }).then(({ values, points }) => ({
          from: isoTime(window.from_ms),
          until: isoTime(window.until_ms),
          step_ms: bucketMs,
          total: points.reduce((sum, { logs }) => sum + logs, 0),
          series: seriesOf(values, points, { ...query, measure }),
        })),
      )
    },
    members: async (owner, request) => {
      const limits = { limit: SAMPLED_LOGS, bytesMax: SAMPLED_BYTES_MAX }
      const query = { ...(await queryOf(owner, request)), ...limits }
      const texts = await reachable('Logs', sampleData(reader, owner, query))
      return { examined: texts.length, members: membersOf(texts) }
    },
  }
}

type Measured = Omit<SeriesQuery, 'values'> & { measure: Measure; path: string | undefined }

async function readSeries(reader: LogReader, owner: Owner, query: Measured) {
  const { path, measure } = query
  const limit = SERIES_MAX
  const top =
    path === undefined
      ? await countValues(reader, owner, { ...query, limit })
      : await measureValues(reader, owner, { ...query, path, limit })
  const values = top.map(({ value }) => value)
  const points =
    path === undefined || measure === 'count'
      ? await countSeries(reader, owner, { ...query, values })
      : await measureSeries(reader, owner, { ...query, values, path, measure })
  return { values, points }
}

/** The series of all other values comes last, and only if there are any. */
function seriesOf(
  values: readonly string[],
  points: readonly SeriesPoint[],
  { window, bucketMs, measure }: Pick<Measured, 'window' | 'bucketMs' | 'measure'>,
): FieldSeries['series'] {
  const first = Math.floor(window.from_ms / bucketMs) * bucketMs
  const steps = bucketsIn(window, bucketMs)
  const pointsOf = (series: number) => {
    const all: (number | null)[] = Array.from({ length: steps }, () =>
      measure === 'count' ? 0 : null,
    )
    for (const point of points) {
      const at = (point.bucket_ms - first) / bucketMs
      if (point.series !== series || at < 0 || at >= steps) continue
      all[at] = measure === 'count' ? point.logs : point.measured
    }
    return all
  }
  const hasOthers = points.some(({ series }) => series === 0)
  return [
    ...values.map((value, index) => ({ value, points: pointsOf(index + 1) })),
    ...(hasOthers ? [{ value: null, points: pointsOf(0) }] : []),
  ]
}

const isMeasured = (row: CountedValue | MeasuredValue): row is MeasuredValue => 'numbers' in row

const statisticsOf = ({ numbers, average, p50, p95, max }: MeasuredValue) => ({
  count: numbers,
  average,
  p50,
  p95,
  max,
})

function checkedField(field: string): string {
  if (fieldExpression(field, () => '') !== undefined) return field
  const names =
    'level, device_id, category, environment, error_type, error_code, error_fingerprint, trace_id, tags, or data.<name>'
  throw invalidRequest('field', `field must be ${names}`)
}

/** @returns the path in `data` */
function checkedNumber(number: string | undefined): string {
  const path = number === undefined ? undefined : dataPathOf(number)
  if (path !== undefined) return path
  throw invalidRequest('number', 'number must be a member of data, such as data.duration_ms')
}
