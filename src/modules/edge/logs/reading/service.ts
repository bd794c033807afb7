/** Log readings of the portal: pages, error groups, overview and trends. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { reachable } from '../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { Dates } from '../../../../platform/date-range.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { type Paging, paginationOf } from '../../../../platform/http/paging.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { activeSince } from '../../devices/activity.ts'
import { countDevices } from '../../devices/counts.store.ts'
import { listMerges, withMembers } from '../../error-merges/store.ts'
import { findNearMisses } from '../query/near-misses.ts'
import type { Suggestion } from '../query/schema.ts'
import type { ErrorGroupRecord, LogPage, Overview, TrendPoint } from '../schema.ts'
import {
  countBuckets,
  countDevicesWithErrors,
  countErrorTypes,
  countLevels,
  type LevelCount,
} from './counts.store.ts'
import { errorGroupRecordOf } from './error-group-record.ts'
import { type GroupSelection, readErrorGroups } from './error-groups.store.ts'
import { type FilterParameters, parseFilters, parseSpan, parseWindow } from './query-parameters.ts'
import { recordOf } from './record.ts'
import type { Granularity } from './schema.ts'
import { type PageOrder, readPage } from './store.ts'
import { BUCKET_MS, bucketsIn, overviewOf, trendsOf } from './summary.ts'
import { endOf } from './window.ts'

export type LogReading = {
  list(
    owner: Owner,
    request: Dates & FilterParameters & Paging & { order?: PageOrder | undefined },
  ): Promise<LogPage>
  /** Finds similar queries that find something, for one that found nothing. */
  suggest(owner: Owner, request: Dates & FilterParameters & { q: string }): Promise<Suggestion[]>
  errors(
    owner: Owner,
    request: Dates & FilterParameters & Paging & { selected?: GroupSelection | undefined },
  ): Promise<ErrorGroupRecord[]>
  /** The numbers of devices that do not depend on logs are those of all devices. */
  overview(owner: Owner, request: Dates & FilterParameters): Promise<Overview>
  trends(
    owner: Owner,
    request: Dates & FilterParameters & { granularity: Granularity },
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

/** Default period of trends by the hour. */
const HOURS_SHOWN = 48

export function createLogReading(options: LogReadingOptions): LogReading {
  const { clickhouse, clock, edge_window_days } = options
  const filtersOf = async (owner: Owner, request: FilterParameters, now: Date) =>
    await withMembers(options.db, owner, parseFilters(request, now))
  return {
    list: async (owner, request) => {
      const { page, limit, order } = request
      const now = clock.now()
      const query = {
        window: parseWindow(request, now, edge_window_days),
        filters: await filtersOf(owner, request, now),
        skip: (page - 1) * limit,
        limit,
        order,
      }
      const { rows, total } = await reachable('Logs', readPage(clickhouse, owner, query))
      return { logs: rows.map(recordOf), pagination: paginationOf(request, total) }
    },
    suggest: async (owner, request) => {
      const now = clock.now()
      const near = {
        q: request.q,
        filters: await filtersOf(owner, request, now),
        window: parseWindow(request, now, edge_window_days),
        default_window: parseWindow({}, now, edge_window_days),
      }
      return await findNearMisses({ reader: clickhouse, db: options.db }, owner, near)
    },
    errors: async (owner, request) => {
      const { page, limit, selected } = request
      const now = clock.now()
      const window = parseWindow(request, now, edge_window_days)
      const filters = await filtersOf(owner, request, now)
      const merges = await listMerges(options.db, owner)
      const query = { window, filters, merges, selected, skip: (page - 1) * limit, limit }
      return (await reachable('Logs', readErrorGroups(clickhouse, owner, query))).map(
        errorGroupRecordOf,
      )
    },
    overview: async (owner, request) =>
      await reachable('Logs', readOverview(options, owner, request)),
    trends: async (owner, request) => {
      const { granularity } = request
      const spanMs = granularity === 'day' ? edge_window_days * DAY_MS : HOURS_SHOWN * HOUR_MS
      const now = clock.now()
      const window = parseSpan(request, now, spanMs)
      const bucketMs = BUCKET_MS[granularity]
      if (bucketsIn(window, bucketMs) > options.edge_trend_points_max) {
        const most = `${options.edge_trend_points_max} ${granularity}s`
        throw invalidRequest(
          'start_date',
          `start_date must not be more than ${most} before the end`,
        )
      }
      const query = { window, filters: await filtersOf(owner, request, now), bucketMs }
      return trendsOf(
        await reachable('Logs', countBuckets(clickhouse, owner, query)),
        window,
        bucketMs,
      )
    },
  }
}

async function readOverview(
  { db, clickhouse, clock, ...options }: LogReadingOptions,
  owner: Owner,
  request: Dates & FilterParameters,
): Promise<Overview> {
  const now = clock.now()
  const window = parseWindow(request, now, options.edge_window_days)
  const filters = await withMembers(db, owner, parseFilters(request, now))
  const until_ms = endOf(request) ?? now.getTime()
  const day = (end_ms: number) => ({ from_ms: end_ms - DAY_MS + 1, until_ms: end_ms })
  const active = activeSince(now, options.edge_device_active_minutes)
  const [levels, with_errors, error_types, today, before, devices] = await Promise.all([
    countLevels(clickhouse, owner, window, filters),
    countDevicesWithErrors(clickhouse, owner, window, filters),
    countErrorTypes(clickhouse, owner, window, filters),
    countLevels(clickhouse, owner, day(until_ms), filters),
    countLevels(clickhouse, owner, day(until_ms - DAY_MS), filters),
    countDevices(db, owner.org_id, owner.mode, active),
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
