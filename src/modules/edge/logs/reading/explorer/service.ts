/** What the log explorer of the console draws and looks into, beside the readings of the portal. */
import type { ClickHouse } from '../../../../../platform/clickhouse/client.ts'
import { isForNow } from '../../../../../platform/clickhouse/errors.ts'
import { reachable } from '../../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../../platform/clock.ts'
import { AppError } from '../../../../../platform/http/errors.ts'
import type { Dates } from '../../../../../platform/told-dates.ts'
import type { DeviceError, ErrorGroupDetails, ErrorTrends, Histogram } from '../../schema.ts'
import { type AskedFilters, askedFilters, askedSpan, askedWindow } from '../asked.ts'
import { shownGroup } from '../errors/shown.ts'
import { readErrorGroups } from '../errors/store.ts'
import type { Scope } from '../hours.ts'
import { isoTime } from '../record.ts'
import { countBuckets } from '../statistics/store.ts'
import { bucketsIn, trendsOf } from '../statistics/summary.ts'
import type { LogReader } from '../store.ts'
import { DAY_MS } from '../window.ts'
import { isOfHours, stepOf, wholeHours } from './steps.ts'
import {
  countFineBuckets,
  countGroupBuckets,
  type GroupBucket,
  readDeviceGroups,
  readGroupDevices,
} from './store.ts'

export type LogExplorer = {
  histogram(scope: Scope, asked: Dates & AskedFilters): Promise<Histogram>
  errorTrends(
    scope: Scope,
    asked: Dates & { fingerprints: readonly string[] },
  ): Promise<ErrorTrends>
  /** @returns undefined when there was no such error between the dates */
  errorGroup(
    scope: Scope,
    asked: Dates & { fingerprint: string },
  ): Promise<ErrorGroupDetails | undefined>
  deviceErrors(scope: Scope, asked: Dates & { device_id: string }): Promise<DeviceError[]>
}

export type LogExplorerOptions = {
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  edge_window_days: number
  /** Of one question; people wait for it. Default: fifteen seconds. */
  timeout_ms?: number
}

const BARS_MAX = 200
const TREND_STEPS_MAX = 60
const DEVICES_SHOWN = 100
const GROUPS_SHOWN = 50
const TIMEOUT_MS = 15_000

export function createLogExplorer(options: LogExplorerOptions): LogExplorer {
  const { clock, edge_window_days, timeout_ms = TIMEOUT_MS } = options
  const reader = withinTime(options.clickhouse, timeout_ms)
  const spanOf = (asked: Dates) => askedSpan(asked, clock.now(), edge_window_days * DAY_MS)
  const windowOf = (asked: Dates) => askedWindow(asked, clock.now(), edge_window_days)
  return {
    histogram: async (scope, asked) => {
      const window = spanOf(asked)
      const bucketMs = stepOf(window, BARS_MAX)
      const count = isOfHours(bucketMs) ? countBuckets : countFineBuckets
      const query = { window, filters: askedFilters(asked), bucketMs }
      const bars = trendsOf(await reachable('Logs', count(reader, scope, query)), window, bucketMs)
      const total = bars.reduce((sum, bar) => sum + bar.total, 0)
      return { ...shownSpan(window), step_ms: bucketMs, total, bars }
    },
    errorTrends: async (scope, asked) => {
      const { fingerprints } = asked
      const window = spanOf(asked)
      const bucketMs = wholeHours(window, TREND_STEPS_MAX)
      const query = { window, fingerprints, bucketMs }
      const counts = await reachable('Errors', countGroupBuckets(reader, scope, query))
      const trends = fingerprints.map((fingerprint) => ({
        fingerprint,
        counts: stepsOf(counts, fingerprint, window, bucketMs),
      }))
      return { ...shownSpan(window), step_ms: bucketMs, trends }
    },
    errorGroup: async (scope, asked) => {
      const { fingerprint } = asked
      const window = windowOf(asked)
      const [groups, devices] = await reachable(
        'Errors',
        Promise.all([
          readErrorGroups(reader, scope, { window, fingerprint, skip: 0, limit: 1 }),
          readGroupDevices(reader, scope, { window, fingerprint, limit: DEVICES_SHOWN }),
        ]),
      )
      return groups[0] && { ...shownGroup(groups[0]), devices: devices.map(shownDevice) }
    },
    deviceErrors: async (scope, asked) => {
      const { device_id } = asked
      const query = { window: windowOf(asked), device_id, limit: GROUPS_SHOWN }
      const groups = await reachable('Errors', readDeviceGroups(reader, scope, query))
      return groups.map(({ last_ms, error_type, ...group }) => ({
        ...group,
        error_type: error_type === '' ? null : error_type,
        last_seen: isoTime(last_ms),
      }))
    },
  }
}

/** Who waits is told that it took too long, which is not the same as that nothing can be read. */
function withinTime(clickhouse: Pick<ClickHouse, 'query'>, timeout_ms: number): LogReader {
  return {
    query: async (sql, params) => {
      const start = performance.now()
      try {
        return await clickhouse.query(sql, params, { timeout_ms })
      } catch (error) {
        if (!isForNow(error) || performance.now() - start < timeout_ms) throw error
        const message = `Counting took longer than ${timeout_ms / 1000} seconds; ask for a shorter time`
        throw new AppError(500, { message })
      }
    },
  }
}

type Span = { from_ms: number; until_ms: number }

const shownSpan = ({ from_ms, until_ms }: Span) => ({
  from: isoTime(from_ms),
  until: isoTime(until_ms),
})

function stepsOf(
  counts: readonly GroupBucket[],
  fingerprint: string,
  span: Span,
  bucketMs: number,
): number[] {
  const first = Math.floor(span.from_ms / bucketMs) * bucketMs
  const steps = Array.from({ length: bucketsIn(span, bucketMs) }, () => 0)
  for (const count of counts) {
    const index = (count.bucket_ms - first) / bucketMs
    if (count.fingerprint === fingerprint && index < steps.length) steps[index] = count.logs
  }
  return steps
}

const shownDevice = ({
  device_id,
  logs,
  first_ms,
  last_ms,
}: Awaited<ReturnType<typeof readGroupDevices>>[number]) => ({
  device_id,
  count: logs,
  first_seen: isoTime(first_ms),
  last_seen: isoTime(last_ms),
})
