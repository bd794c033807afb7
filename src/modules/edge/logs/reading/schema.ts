/** Contract of the log readings (specification, "Edge devices and logs"; OP-12 to OP-15). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../../platform/http/documented.ts'
import { pagination, pagingQuery } from '../../../../platform/http/paging.ts'
import { choice, dateParameter, strictObject } from '../../../../platform/http/schemas.ts'
import { LEVEL_LIST, LEVELS } from '../level.ts'
import { HAS_WORD, QUERY_CHARS_MAX } from '../query/parse.ts'
import { queryReading, suggestion } from '../query/schema.ts'

export const GRANULARITIES = ['hour', 'day'] as const
export type Granularity = (typeof GRANULARITIES)[number]

export type ReadingLimits = { edge_page_max: number; edge_window_days: number }

const FILTER_MAX_CHARS = 512

const EXAMPLE_LOG = {
  id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d0001',
  device_id: 'till-12',
  level: 'error',
  message: 'Payment terminal does not answer after 30 s',
  timestamp: '2026-03-01T12:00:00.000Z',
  category: 'payment',
  environment: 'production',
  error: { type: 'TimeoutError', stack: null, code: 'ETIMEDOUT' },
  data: { terminal: 'T-7', attempt: 2 },
  tags: ['shop-4'],
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
  received_at: '2026-03-01T12:00:01.250Z',
  error_fingerprint: '5f2c7a90b1d34e68a7c1d2e3f4051627',
}
const EXAMPLE_GROUP = {
  fingerprint: EXAMPLE_LOG.error_fingerprint,
  error_type: 'TimeoutError',
  message: EXAMPLE_LOG.message,
  count: 42,
  affected_devices: 3,
  first_seen: '2026-02-27T08:12:44.000Z',
  last_seen: EXAMPLE_LOG.timestamp,
  environments: ['production'],
}
const EXAMPLE_LEVELS = LEVELS.map((level, index) => ({ level, count: [0, 940, 18, 40, 2][index] }))
const EXAMPLE_OVERVIEW = {
  logs: { total: 1000, by_level: EXAMPLE_LEVELS },
  devices: { total: 12, active: 11, with_errors: 3 },
  errors: { total: 42, unique_types: 2, error_rate: 4.2 },
  trends: { logs_24h: 120, logs_24h_change: -4.76 },
}
const EXAMPLE_POINT = {
  timestamp: '2026-03-01T00:00:00.000Z',
  total: 1000,
  by_level: EXAMPLE_LEVELS,
}

const text = () => Type.Union([Type.String(), Type.Null()])
const time = () => Type.String({ format: 'date-time' })
const count = () => Type.Integer({ minimum: 0 })

const log = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    device_id: Type.String(),
    level: choice(LEVELS),
    message: Type.String(),
    timestamp: Type.String({ format: 'date-time', description: 'By the clock of the device' }),
    category: text(),
    environment: text(),
    error: Type.Union([Type.Object({ type: text(), stack: text(), code: text() }), Type.Null()]),
    data: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
    }),
    tags: Type.Array(Type.String()),
    trace_id: text(),
    span_id: text(),
    received_at: time(),
    error_fingerprint: Type.Union([Type.String(), Type.Null()], {
      description: 'Fingerprint of the error group; null for levels below `error`',
    }),
  },
  { $id: 'EdgeLog', examples: [EXAMPLE_LOG], 'x-open-point': 'OP-15' },
)

/** A log entry as it was sent, with the fields that were added on receipt (OP-15). */
export type LogRecord = Static<typeof log>

const logs = Type.Object(
  {
    logs: Type.Array(log, { description: 'Newest first' }),
    pagination,
  },
  {
    $id: 'EdgeLogPage',
    examples: [{ logs: [EXAMPLE_LOG], pagination: { page: 1, limit: 50, total: 1, pages: 1 } }],
    'x-open-point': 'OP-13',
  },
)
export type LogPage = Static<typeof logs>

const foundLogs = Type.Object(
  {
    logs: Type.Array(log, { description: 'Newest first' }),
    pagination,
    query: queryReading,
    suggestions: Type.Array(suggestion, {
      description: 'If nothing was found: similar queries that find something',
    }),
  },
  {
    $id: 'EdgeLogSearchPage',
    examples: [
      {
        logs: [EXAMPLE_LOG],
        pagination: { page: 1, limit: 50, total: 1, pages: 1 },
        query: {
          read_as: 'phrase “payment terminal” AND level error',
          terms: [
            {
              start: 0,
              end: 18,
              meaning: 'phrase “payment terminal”',
              is_excluded: false,
              words: ['payment', 'terminal'],
            },
            { start: 19, end: 30, meaning: 'level error', is_excluded: false, words: [] },
          ],
          notes: [],
        },
        suggestions: [],
      },
    ],
    'x-open-point': 'OP-13, OP-73',
  },
)

const errorGroup = Type.Object(
  {
    fingerprint: Type.String(),
    error_type: Type.Union([Type.String(), Type.Null()], {
      description: 'Type of the newest error of the group',
    }),
    message: Type.String({
      description: 'First 1,000 characters of the message of the newest error',
    }),
    count: Type.Integer({ minimum: 1 }),
    affected_devices: Type.Integer({ minimum: 1 }),
    first_seen: time(),
    last_seen: time(),
    environments: Type.Array(Type.String()),
  },
  { $id: 'EdgeErrorGroup', examples: [EXAMPLE_GROUP] },
)
export type ErrorGroupRecord = Static<typeof errorGroup>

const byLevel = () =>
  Type.Array(Type.Object({ level: choice(LEVELS), count: count() }), {
    description: 'All levels, including those without logs',
  })

const overview = Type.Object(
  {
    logs: Type.Object({ total: count(), by_level: byLevel() }),
    devices: Type.Object({ total: count(), active: count(), with_errors: count() }),
    errors: Type.Object({
      total: count(),
      unique_types: count(),
      error_rate: Type.Number({
        description: 'Percentage of logs whose level is `error` or `fatal`',
      }),
    }),
    trends: Type.Object({
      logs_24h: count(),
      logs_24h_change: Type.Number({
        description: 'Change in percent from the preceding 24 hours; 100 if those had no logs',
      }),
    }),
  },
  { $id: 'EdgeOverview', examples: [EXAMPLE_OVERVIEW], 'x-open-point': 'OP-12' },
)
export type Overview = Static<typeof overview>

const trendPoint = Type.Object(
  { timestamp: time(), total: count(), by_level: byLevel() },
  { $id: 'EdgeTrendPoint', examples: [EXAMPLE_POINT], 'x-open-point': 'OP-14' },
)
export type TrendPoint = Static<typeof trendPoint>

/** Query parameters in parts, because the portal and the console combine them differently. */
export function readingQueries({ edge_page_max, edge_window_days }: ReadingLimits) {
  const paging = pagingQuery(edge_page_max)
  const dates = {
    start_date: dateParameter({
      description: `ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last ${edge_window_days} days`,
      examples: ['2026-03-01'],
    }),
    end_date: dateParameter({
      description:
        'Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day',
      examples: ['2026-03-31T23:59:59Z'],
    }),
  }
  const name = () => Type.Optional(Type.String({ maxLength: FILTER_MAX_CHARS }))
  const filters = {
    device_id: name(),
    level: Type.Optional(
      Type.String({
        description: `One or more of ${LEVELS.join(', ')}, separated by commas`,
        examples: ['error,fatal'],
        ...documented({ pattern: LEVEL_LIST }),
      }),
    ),
    category: name(),
    environment: name(),
    error_fingerprint: name(),
  }
  const q = Type.String({
    minLength: 1,
    maxLength: QUERY_CHARS_MAX,
    description:
      'Words that must all occur in the message, in any case and order; "words in quotes" must be adjacent. Also `print*`, `*head*`, `field:value`, `-excluded`, `OR`, `( )`, `data.name:>5`, `time:yesterday` and `has:field`; everything else is read as words',
    examples: ['"payment terminal" level:error'],
    ...documented({ pattern: HAS_WORD }),
  })
  const granularity = Type.Optional(choice(GRANULARITIES))
  return { paging, dates, filters, q, granularity }
}

export function readingSchemas(limits: ReadingLimits) {
  const { paging, dates, filters, q, granularity } = readingQueries(limits)
  return {
    list: strictObject({ ...paging, ...dates, ...filters }),
    search: strictObject({ q, ...paging, ...dates, ...filters }),
    errors: strictObject({ ...dates, ...filters, ...paging }),
    overview: strictObject({ ...dates, ...filters }),
    trends: strictObject({ ...dates, ...filters, granularity }),
    contents: {
      logs,
      foundLogs,
      errorGroups: Type.Array(errorGroup),
      overview,
      trends: Type.Array(trendPoint),
    },
  }
}
