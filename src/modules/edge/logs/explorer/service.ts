/** Readings of the console's log explorer that the portal API does not have. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { reachable } from '../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { Dates } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../../platform/time-units.ts'
import { groupOf, membersOf } from '../../error-merges/merges.ts'
import { listMerges, withMembers } from '../../error-merges/store.ts'
import { countBuckets } from '../reading/counts.store.ts'
import { errorGroupRecordOf } from '../reading/error-group-record.ts'
import { readErrorGroup } from '../reading/error-groups.store.ts'
import {
  type FilterParameters,
  parseFilters,
  parseSpan,
  parseWindow,
  type TimedParameters,
} from '../reading/query-parameters.ts'
import { isoTime } from '../reading/record.ts'
import { bucketsIn, trendsOf } from '../reading/summary.ts'
import type { Span } from '../reading/window.ts'
import type { DeviceError, ErrorGroupDetails, ErrorTrends, Histogram } from '../schema.ts'
import { isOfHours, stepOf, wholeHours } from './steps.ts'
import {
  countFineBuckets,
  countGroupBuckets,
  type GroupBucket,
  type GroupDevice,
  readDeviceGroups,
  readGroupDevices,
  readGroupHours,
  readGroupVersions,
} from './store.ts'
import { withinTime } from './within-time.ts'

export type LogExplorer = {
  histogram(owner: Owner, request: Dates & FilterParameters): Promise<Histogram>
  errorTrends(
    owner: Owner,
    request: Dates & { fingerprints: readonly string[] },
  ): Promise<ErrorTrends>
  /** @returns undefined if there was no such error between the dates */
  errorGroup(
    owner: Owner,
    request: Dates & { fingerprint: string },
  ): Promise<ErrorGroupDetails | undefined>
  deviceErrors(owner: Owner, request: Dates & { device_id: string }): Promise<DeviceError[]>
}

export type LogExplorerOptions = {
  db: Db
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  edge_window_days: number
  /** Time limit of one query. Default: fifteen seconds. */
  timeout_ms?: number
}

const BARS_MAX = 200
const TREND_STEPS_MAX = 60
const DEVICES_SHOWN = 100
const GROUPS_SHOWN = 50

export function createLogExplorer(options: LogExplorerOptions): LogExplorer {
  const { db, clock, edge_window_days, timeout_ms } = options
  const reader = withinTime(options.clickhouse, timeout_ms)
  const spanOf = (request: TimedParameters, now = clock.now()) =>
    parseSpan(request, now, edge_window_days * DAY_MS)
  const windowOf = (request: Dates) => parseWindow(request, clock.now(), edge_window_days)
  return {
    histogram: async (owner, request) => {
      const now = clock.now()
      const window = spanOf(request, now)
      const bucketMs = stepOf(window, BARS_MAX)
      const count = isOfHours(bucketMs) ? countBuckets : countFineBuckets
      const filters = await withMembers(db, owner, parseFilters(request, now))
      const query = { window, filters, bucketMs }
      const bars = trendsOf(await reachable('Logs', count(reader, owner, query)), window, bucketMs)
      const total = bars.reduce((sum, bar) => sum + bar.total, 0)
      return { ...isoSpan(window), step_ms: bucketMs, total, bars }
    },
    errorTrends: async (owner, request) => {
      const { fingerprints } = request
      const window = spanOf(request)
      const bucketMs = wholeHours(window, TREND_STEPS_MAX)
      const merges = await listMerges(db, owner)
      const query = { window, fingerprints: membersOf(merges, fingerprints), bucketMs }
      const counts = await reachable('Errors', countGroupBuckets(reader, owner, query))
      const trends = fingerprints.map((fingerprint) => {
        const own = counts.filter((count) => groupOf(merges, count.fingerprint) === fingerprint)
        return { fingerprint, counts: stepsOf(own, window, bucketMs) }
      })
      return { ...isoSpan(window), step_ms: bucketMs, trends }
    },
    errorGroup: async (owner, request) => {
      const merges = await listMerges(db, owner)
      const fingerprints = membersOf(merges, [groupOf(merges, request.fingerprint)])
      const window = windowOf(request)
      const reading = readGroupHours(reader, owner, { window, fingerprints })
      const query = { window, fingerprints, hours: await reachable('Errors', reading) }
      const [group, devices, versions] = await reachable(
        'Errors',
        Promise.all([
          readErrorGroup(reader, owner, { window, fingerprints, merges }),
          readGroupDevices(reader, owner, { ...query, limit: DEVICES_SHOWN }),
          readGroupVersions(reader, owner, query),
        ]),
      )
      return (
        group && {
          ...errorGroupRecordOf(group),
          versions: {
            first: versions?.first_version || null,
            last: versions?.last_version || null,
          },
          devices: devices.map(deviceRecordOf),
        }
      )
    },
    deviceErrors: async (owner, request) => {
      const { device_id } = request
      const merges = await listMerges(db, owner)
      const query = { window: windowOf(request), device_id, merges, limit: GROUPS_SHOWN }
      const groups = await reachable('Errors', readDeviceGroups(reader, owner, query))
      return groups.map(({ last_ms, error_type, ...group }) => ({
        ...group,
        error_type: error_type === '' ? null : error_type,
        last_seen: isoTime(last_ms),
      }))
    },
  }
}

const isoSpan = ({ from_ms, until_ms }: Span) => ({
  from: isoTime(from_ms),
  until: isoTime(until_ms),
})

function stepsOf(counts: readonly GroupBucket[], span: Span, bucketMs: number): number[] {
  const first = Math.floor(span.from_ms / bucketMs) * bucketMs
  const steps = Array.from({ length: bucketsIn(span, bucketMs) }, () => 0)
  for (const { bucket_ms, logs } of counts) {
    const index = (bucket_ms - first) / bucketMs
    if (index < steps.length) steps[index] = (steps[index] ?? 0) + logs
  }
  return steps
}

const deviceRecordOf = ({ device_id, logs, first_ms, last_ms }: GroupDevice) => ({
  device_id,
  count: logs,
  first_seen: isoTime(first_ms),
  last_seen: isoTime(last_ms),
})
