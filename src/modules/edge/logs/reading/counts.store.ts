/**
 * SQL of counts over a window. They come from a roll-up that has the columns of the filters, otherwise
 * from the rows.
 */

import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { conditionsOf, type LogFilters, NO_FILTER } from '../filters.ts'
import { ERROR_LEVELS, type Level } from '../level.ts'
import type { LogReader } from './store.ts'
import { type Halves, halvesOf, overHalves } from './window-sql.ts'

export type LevelCount = { level: Level; logs: number }
export type BucketCount = LevelCount & { bucket_ms: number }

/** @returns only levels that occur */
export async function countLevels(
  reader: LogReader,
  owner: Owner,
  window: Window,
  filters: LogFilters = {},
) {
  const halves = halvesOf(owner, window)
  const filter = conditionsOf(filters)
  const counted = overHalves(
    halves,
    (where) => `select level, count() as counted from edge_logs
    where ${where} and ${filter.sql} group by level`,
  )
  return await reader.query<LevelCount>(
    `select level, sum(counted) as logs from (${counted}) group by level`,
    { ...halves.params, ...filter.params },
  )
}

/** @returns only buckets and levels that occur; `bucket_ms` is the start of the bucket, in UTC */
export async function countBuckets(
  reader: LogReader,
  owner: Owner,
  { window, filters, bucketMs }: { window: Window; filters: LogFilters; bucketMs: number },
): Promise<BucketCount[]> {
  const halves = halvesOf(owner, window)
  const filter = conditionsOf(filters)
  const counted = overHalves(
    halves,
    (where) => `select hour_ms, level, count() as counted from edge_logs
    where ${where} and ${filter.sql} group by hour_ms, level`,
  )
  return await reader.query<BucketCount>(
    `select hour_ms - positiveModulo(hour_ms, {bucket_ms:Int64}) as bucket_ms, level,
      sum(counted) as logs
    from (${counted}) group by bucket_ms, level`,
    { ...halves.params, ...filter.params, bucket_ms: bucketMs },
  )
}

export async function countDevicesWithErrors(
  reader: LogReader,
  owner: Owner,
  window: Window,
  filters: LogFilters = {},
) {
  const halves = halvesOf(owner, window)
  const filter = conditionsOf(filters)
  if (isOfDays(window) && filter.sql === NO_FILTER) return await countErrorDevices(reader, halves)
  // ClickHouse only uses the roll-up of devices for a query that groups by them.
  const found = overHalves(
    halves,
    (where) => `select device_id from edge_logs
    where ${where} and level in {error_levels:Array(String)} and ${filter.sql}
    group by device_id`,
  )
  return await countOf(reader, `select uniqExact(device_id) as counted from (${found})`, {
    ...halves.params,
    ...filter.params,
    error_levels: ERROR_LEVELS,
  })
}

/** Every error has a group, and the roll-up of groups has the devices of each, which are far fewer than all. */
async function countErrorDevices(reader: LogReader, { whole, params }: Halves) {
  return await countOf(
    reader,
    `select uniqExactMerge(devices) as counted from (
      select uniqExactStateIf(device_id, error_fingerprint != '') as devices from edge_logs
      where ${whole} and error_fingerprint != '' group by error_fingerprint
    )`,
    params,
  )
}

const isOfDays = ({ from_ms, until_ms }: Window): boolean =>
  from_ms === undefined && until_ms === undefined

/** All errors without a type count as one type. */
export async function countErrorTypes(
  reader: LogReader,
  owner: Owner,
  window: Window,
  filters: LogFilters = {},
) {
  const halves = halvesOf(owner, window)
  const filter = conditionsOf(filters)
  const found = overHalves(
    halves,
    (where) => `select error_type from edge_logs
    where ${where} and error_fingerprint != '' and ${filter.sql} group by error_type`,
  )
  const sql = `select uniqExact(error_type) as counted from (${found})`
  return await countOf(reader, sql, { ...halves.params, ...filter.params })
}

async function countOf(reader: LogReader, sql: string, params: Record<string, unknown>) {
  const [row] = await reader.query<{ counted: number }>(sql, params)
  return row?.counted ?? 0
}
