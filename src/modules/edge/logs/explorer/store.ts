/** SQL of the log explorer: counts by steps of any width, for an error group or for a device. */

import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { HOUR_MS } from '../../../../platform/time-units.ts'
import type { Merges } from '../../error-merges/merges.ts'
import { conditionsOf, type LogFilters } from '../filters.ts'
import { ERROR_LEVELS } from '../level.ts'
import type { BucketCount } from '../reading/counts.store.ts'
import { groupSql, type StoredGroup } from '../reading/error-groups.store.ts'
import type { LogReader } from '../reading/store.ts'
import { type Conditions, halvesOf, overHalves, rowsIn } from '../reading/window-sql.ts'

/** Counts from the rows, for steps below an hour. */
export async function countFineBuckets(
  reader: LogReader,
  owner: Owner,
  { window, filters, bucketMs }: { window: Window; filters: LogFilters; bucketMs: number },
): Promise<BucketCount[]> {
  const rows = rowsIn(owner, window)
  const filter = conditionsOf(filters)
  return await reader.query<BucketCount>(
    `select timestamp_ms - positiveModulo(timestamp_ms, {bucket_ms:Int64}) as bucket_ms, level,
      count() as logs
    from edge_logs where ${rows.sql} and ${filter.sql} group by bucket_ms, level`,
    { ...rows.params, ...filter.params, bucket_ms: bucketMs },
  )
}

export type GroupBucket = { fingerprint: string; bucket_ms: number; logs: number }

/** @param query.bucketMs a multiple of one hour */
export async function countGroupBuckets(
  reader: LogReader,
  owner: Owner,
  query: { window: Window; fingerprints: readonly string[]; bucketMs: number },
): Promise<GroupBucket[]> {
  const halves = halvesOf(owner, query.window)
  const counted = overHalves(
    halves,
    (where) => `select error_fingerprint, hour_ms, count() as counted from edge_logs
    where ${where} and error_fingerprint in {fingerprints:Array(String)}
    group by error_fingerprint, hour_ms`,
  )
  return await reader.query<GroupBucket>(
    `select toString(error_fingerprint) as fingerprint,
      hour_ms - positiveModulo(hour_ms, {bucket_ms:Int64}) as bucket_ms, sum(counted) as logs
    from (${counted}) group by error_fingerprint, bucket_ms`,
    { ...halves.params, fingerprints: query.fingerprints, bucket_ms: query.bucketMs },
  )
}

export type GroupDevice = { device_id: string; logs: number; first_ms: number; last_ms: number }

type GroupQuery = { window: Window; fingerprints: readonly string[] }
/** With the hours of `readGroupHours`: only the rows of these are read. */
type HoursQuery = GroupQuery & { hours: readonly number[] }

/** Returns the hours in which a group occurred, in order, from the roll-up. */
export async function readGroupHours(
  reader: LogReader,
  owner: Owner,
  { window, fingerprints }: GroupQuery,
): Promise<number[]> {
  const hours = await hoursOf(reader, owner, { window, condition: ofGroup(fingerprints) })
  return hours.toSorted((a, b) => a - b)
}

/** Returns the devices with the most errors of a group. */
export async function readGroupDevices(
  reader: LogReader,
  owner: Owner,
  { window, fingerprints, hours, limit }: HoursQuery & { limit: number },
): Promise<GroupDevice[]> {
  if (hours.length === 0) return []
  const condition = ofGroup(fingerprints)
  const rows = rowsIn(owner, window)
  return await reader.query<GroupDevice>(
    `select toString(device_id) as device_id, count() as logs, min(timestamp_ms) as first_ms,
      max(timestamp_ms) as last_ms
    from edge_logs
    where ${rows.sql} and hour_ms in {hours:Array(Int64)} and ${condition.sql}
    group by device_id order by logs desc, last_ms desc, device_id limit {limit:UInt64}`,
    { ...rows.params, ...condition.params, hours, limit },
  )
}

/** Members of data in which applications and agents name the version, the most specific first. */
const VERSIONS = [
  "'version'",
  "'app_version'",
  "'release'",
  "'firmware'",
  "'firmware_version'",
  "'resource', 'service.version'",
].map((keys) => `nullIf(JSONExtractString(data, ${keys}), '')`)

export type GroupVersions = { first_version: string; last_version: string }

/**
 * Returns the versions of the first and of the last error of a group that has one, empty if none has.
 * They are mostly found in the first and the last hour of the group, so the others are read only if
 * they are not.
 */
export async function readGroupVersions(
  reader: LogReader,
  owner: Owner,
  query: HoursQuery,
): Promise<GroupVersions | undefined> {
  const { hours } = query
  const [first, last] = [hours[0], hours.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const ends = await readVersions(reader, owner, { ...query, hours: [first, last] })
  const isFound = ends.from_ms < first + HOUR_MS && ends.until_ms >= last && ends.logs > 0
  return isFound || hours.length <= 2 ? ends : await readVersions(reader, owner, query)
}

async function readVersions(
  reader: LogReader,
  owner: Owner,
  { window, fingerprints, hours }: HoursQuery,
) {
  const condition = ofGroup(fingerprints)
  const rows = rowsIn(owner, window)
  type Versions = GroupVersions & { logs: number; from_ms: number; until_ms: number }
  const [versions] = await reader.query<Versions>(
    `select argMin(version, timestamp_ms) as first_version,
      argMax(version, timestamp_ms) as last_version,
      count() as logs, min(timestamp_ms) as from_ms, max(timestamp_ms) as until_ms
    from (
      select timestamp_ms, coalesce(${VERSIONS.join(', ')}, '') as version from edge_logs
      where ${rows.sql} and hour_ms in {hours:Array(Int64)} and ${condition.sql}
    ) where version != ''`,
    { ...rows.params, ...condition.params, hours },
  )
  return versions ?? { first_version: '', last_version: '', logs: 0, from_ms: 0, until_ms: 0 }
}

export type DeviceGroup = Omit<StoredGroup, 'affected_devices' | 'first_ms' | 'environments'>

/** Error groups of a device, most frequent first; type and message are those of the newest error. */
export async function readDeviceGroups(
  reader: LogReader,
  owner: Owner,
  {
    window,
    device_id,
    merges,
    limit,
  }: { window: Window; device_id: string; merges: Merges; limit: number },
): Promise<DeviceGroup[]> {
  const condition = {
    sql: 'device_id = {wanted:String} and level in {error_levels:Array(String)}',
    params: { wanted: device_id, error_levels: ERROR_LEVELS },
  }
  const hours = await hoursOf(reader, owner, { window, condition, by: 'device_id, ' })
  if (hours.length === 0) return []
  const group = groupSql(merges)
  const rows = rowsIn(owner, window)
  return await reader.query<DeviceGroup>(
    `select fingerprint, newest.1 as message, newest.2 as error_type, count, last_ms from (
      select ${group.sql} as fingerprint, count() as count, max(timestamp_ms) as last_ms,
        argMax((leftUTF8(message, 1000), error_type), (timestamp_ms, id)) as newest
      from edge_logs
      where ${rows.sql} and hour_ms in {hours:Array(Int64)} and ${condition.sql}
      group by fingerprint
    ) order by count desc, last_ms desc, fingerprint limit {limit:UInt64}`,
    { ...rows.params, ...condition.params, ...group.params, hours, limit },
  )
}

const ofGroup = (fingerprints: readonly string[]): Conditions => ({
  sql: 'error_fingerprint in {wanted:Array(String)}',
  params: { wanted: fingerprints },
})

/**
 * Hours in which a matching log happened.
 *
 * @param by columns to group by in addition, without which the engine would not use the roll-up
 */
async function hoursOf(
  reader: LogReader,
  owner: Owner,
  { window, condition, by = '' }: { window: Window; condition: Conditions; by?: string },
): Promise<number[]> {
  const halves = halvesOf(owner, window)
  const found = overHalves(
    halves,
    (where) => `select hour_ms from edge_logs where ${where} and ${condition.sql}
    group by ${by}hour_ms`,
  )
  const hours = await reader.query<{ hour_ms: number }>(`select distinct hour_ms from (${found})`, {
    ...halves.params,
    ...condition.params,
  })
  return hours.map(({ hour_ms }) => hour_ms)
}
