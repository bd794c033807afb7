/** Logs of edge devices as they are read: pages, groups of errors, overview and trends. */

import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { reachable } from '../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { type Paging, paginationOf } from '../../../../platform/http/paging.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { Dates } from '../../../../platform/told-dates.ts'
import { activeSince } from '../../devices/activity.ts'
import { countDevices } from '../../devices/counts/store.ts'
import type { ErrorGroupRecord, LogPage, Overview, TrendPoint } from '../schema.ts'
import { type AskedFilters, askedFilters, askedSpan, askedWindow } from './asked.ts'
import { shownGroup } from './errors/shown.ts'
import { readErrorGroups } from './errors/store.ts'
import type { Scope } from './hours.ts'
import { recordOf } from './record.ts'
import {
  countBuckets,
  countDevicesWithErrors,
  countErrorTypes,
  countLevels,
  type LevelCount,
} from './statistics/store.ts'
import {
  BUCKET_MS,
  bucketsIn,
  type Granularity,
  overviewOf,
  trendsOf,
} from './statistics/summary.ts'
import { readPage } from './store.ts'
import { DAY_MS, endOf, HOUR_MS } from './window.ts'

export type LogReading = {
  list(scope: Scope, asked: Dates & AskedFilters & Paging): Promise<LogPage>
  errors(scope: Scope, asked: Dates & Paging): Promise<ErrorGroupRecord[]>
  overview(scope: Scope, asked: Dates): Promise<Overview>
  /** Of all logs, or of those that the filters let pass. */
  trends(
    scope: Scope,
    asked: Dates & AskedFilters & { granularity: Granularity },
  ): Promise<TrendPoint[]>
}

export type LogReadingOptions = {
  db: Db
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  edge_window_days: number
  edge_trend_points_max: number
  edge_device_active_minutes: number
}

/** What trends by the hour show when nothing else is asked for. */
const HOURS_SHOWN = 48

export function createLogReading(options: LogReadingOptions): LogReading {
  const { clickhouse, clock, edge_window_days } = options
  return {
    list: async (scope, asked) => {
      const { page, limit } = asked
      const query = {
        window: askedWindow(asked, clock.now(), edge_window_days),
        filters: askedFilters(asked),
        skip: (page - 1) * limit,
        limit,
      }
      const { rows, total } = await reachable('Logs', readPage(clickhouse, scope, query))
      return { logs: rows.map(recordOf), pagination: paginationOf(asked, total) }
    },
    errors: async (scope, asked) => {
      const { page, limit } = asked
      const window = askedWindow(asked, clock.now(), edge_window_days)
      const query = { window, skip: (page - 1) * limit, limit }
      return (await reachable('Logs', readErrorGroups(clickhouse, scope, query))).map(shownGroup)
    },
    overview: async (scope, asked) => await reachable('Logs', readOverview(options, scope, asked)),
    trends: async (scope, asked) => {
      const { granularity } = asked
      const spanMs = granularity === 'day' ? edge_window_days * DAY_MS : HOURS_SHOWN * HOUR_MS
      const window = askedSpan(asked, clock.now(), spanMs)
      const bucketMs = BUCKET_MS[granularity]
      if (bucketsIn(window, bucketMs) > options.edge_trend_points_max) {
        const most = `${options.edge_trend_points_max} ${granularity}s`
        throw invalidRequest(
          'start_date',
          `start_date must not be more than ${most} before the end`,
        )
      }
      const query = { window, filters: askedFilters(asked), bucketMs }
      return trendsOf(
        await reachable('Logs', countBuckets(clickhouse, scope, query)),
        window,
        bucketMs,
      )
    },
  }
}

async function readOverview(
  { db, clickhouse, clock, ...options }: LogReadingOptions,
  scope: Scope,
  asked: Dates,
): Promise<Overview> {
  const now = clock.now()
  const window = askedWindow(asked, now, options.edge_window_days)
  const until_ms = endOf(asked) ?? now.getTime()
  const day = (end_ms: number) => ({ from_ms: end_ms - DAY_MS + 1, until_ms: end_ms })
  const active = activeSince(now, options.edge_device_active_minutes)
  const [levels, with_errors, error_types, today, before, devices] = await Promise.all([
    countLevels(clickhouse, scope, window),
    countDevicesWithErrors(clickhouse, scope, window),
    countErrorTypes(clickhouse, scope, window),
    countLevels(clickhouse, scope, day(until_ms)),
    countLevels(clickhouse, scope, day(until_ms - DAY_MS)),
    countDevices(db, scope.org_id, scope.mode, active),
  ])
  return overviewOf({
    levels,
    devices: { ...devices, with_errors },
    error_types,
    logs_24h: totalOf(today),
    logs_24h_before: totalOf(before),
  })
}

const totalOf = (levels: readonly LevelCount[]): number =>
  levels.reduce((sum, { logs }) => sum + logs, 0)
