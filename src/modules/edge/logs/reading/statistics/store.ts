/** Counts over a window, from the roll-ups. */

import type { Window } from '../../../../../platform/told-dates.ts'
import { conditionsOf, type LogFilters } from '../../filters.ts'
import { ERROR_LEVELS, type Level } from '../../level.ts'
import { halvesOf, overHalves, type Scope } from '../hours.ts'
import type { LogReader } from '../store.ts'

export type LevelCount = { level: Level; logs: number }
export type BucketCount = LevelCount & { bucket_ms: number }

/** @returns levels that occur */
export async function countLevels(
  reader: LogReader,
  scope: Scope,
  window: Window,
): Promise<LevelCount[]> {
  const halves = halvesOf(scope, window)
  const counted = overHalves(
    halves,
    (where) => `select level, count() as counted from edge_logs where ${where} group by level`,
  )
  return await reader.query<LevelCount>(
    `select level, sum(counted) as logs from (${counted}) group by level`,
    halves.params,
  )
}

/** @returns buckets and levels that occur; a bucket is named by its first millisecond, in UTC */
export async function countBuckets(
  reader: LogReader,
  scope: Scope,
  { window, filters, bucketMs }: { window: Window; filters: LogFilters; bucketMs: number },
): Promise<BucketCount[]> {
  const halves = halvesOf(scope, window)
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
  scope: Scope,
  window: Window,
): Promise<number> {
  const halves = halvesOf(scope, window)
  // The roll-up of devices is only used by a query that groups by them.
  const found = overHalves(
    halves,
    (where) => `select device_id from edge_logs
    where ${where} and level in {error_levels:Array(String)} group by device_id`,
  )
  return await countOf(reader, `select uniqExact(device_id) as counted from (${found})`, {
    ...halves.params,
    error_levels: ERROR_LEVELS,
  })
}

/** Errors without a type count as one. */
export async function countErrorTypes(
  reader: LogReader,
  scope: Scope,
  window: Window,
): Promise<number> {
  const halves = halvesOf(scope, window)
  const found = overHalves(
    halves,
    (where) => `select error_type from edge_logs
    where ${where} and error_fingerprint != '' group by error_type`,
  )
  const sql = `select uniqExact(error_type) as counted from (${found})`
  return await countOf(reader, sql, halves.params)
}

async function countOf(
  reader: LogReader,
  sql: string,
  params: Record<string, unknown>,
): Promise<number> {
  const [row] = await reader.query<{ counted: number }>(sql, params)
  return row?.counted ?? 0
}
