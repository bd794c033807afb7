/** Groups of errors, from the roll-up that is kept of them. */

import type { Window } from '../../../../../platform/told-dates.ts'
import { type Halves, halvesOf, overHalves, type Scope } from '../hours.ts'
import type { LogReader } from '../store.ts'

export type StoredGroup = {
  fingerprint: string
  error_type: string
  message: string
  count: number
  affected_devices: number
  first_ms: number
  last_ms: number
  environments: string[]
}

type GroupQuery = { window: Window; skip: number; limit: number; fingerprint?: string | undefined }

/** Written as in the roll-up of the table: only then it is used. */
const DETAILS = `minState(timestamp_ms) as firsts,
  uniqExactStateIf(device_id, error_fingerprint != '') as devices,
  groupUniqArrayStateIf(environment, error_fingerprint != '') as places,
  argMaxStateIf((leftUTF8(message, 1000), error_type), (timestamp_ms, id),
    error_fingerprint != '') as newest`

/**
 * One group, or all, the most frequent first; type and message are those of the newest. All groups are counted, and
 * only of those of the page the devices are put together, which is most of the work.
 */
export async function readErrorGroups(
  reader: LogReader,
  scope: Scope,
  query: GroupQuery,
): Promise<StoredGroup[]> {
  const halves = halvesOf(scope, query.window)
  const counted = await countGroups(reader, halves, query)
  if (counted.length === 0) return []
  const fingerprints = counted.map(({ fingerprint }) => fingerprint)
  const details = await readDetails(reader, halves, fingerprints)
  const byFingerprint = new Map(details.map((detail) => [detail.fingerprint, detail]))
  return counted.flatMap((group) => {
    const detail = byFingerprint.get(group.fingerprint)
    // What was there a moment ago may have become too old meanwhile.
    return detail === undefined ? [] : [{ ...detail, ...group }]
  })
}

type CountedGroup = Pick<StoredGroup, 'fingerprint' | 'count' | 'last_ms'>

async function countGroups(
  reader: LogReader,
  halves: Halves,
  { skip, limit, fingerprint }: GroupQuery,
): Promise<CountedGroup[]> {
  const wanted =
    fingerprint === undefined
      ? `error_fingerprint != ''`
      : 'error_fingerprint = {fingerprint:String}'
  const counted = overHalves(
    halves,
    (where) => `select error_fingerprint, count() as logs, maxState(timestamp_ms) as lasts
    from edge_logs where ${where} and ${wanted} group by error_fingerprint`,
  )
  return await reader.query<CountedGroup>(
    `select toString(error_fingerprint) as fingerprint, sum(logs) as count,
      maxMerge(lasts) as last_ms
    from (${counted})
    group by error_fingerprint
    order by count desc, last_ms desc, fingerprint
    limit {limit:UInt64} offset {skip:UInt64}`,
    { ...halves.params, ...(fingerprint !== undefined && { fingerprint }), skip, limit },
  )
}

async function readDetails(
  reader: LogReader,
  halves: Halves,
  fingerprints: readonly string[],
): Promise<Omit<StoredGroup, 'count' | 'last_ms'>[]> {
  const found = overHalves(
    halves,
    (where) => `select error_fingerprint, ${DETAILS} from edge_logs
    where ${where} and error_fingerprint in {fingerprints:Array(String)}
    group by error_fingerprint`,
  )
  return await reader.query(
    `select fingerprint, affected_devices, first_ms, environments, newest_log.1 as message,
      newest_log.2 as error_type
    from (
      select toString(error_fingerprint) as fingerprint,
        uniqExactMerge(devices) as affected_devices, minMerge(firsts) as first_ms,
        argMaxMerge(newest) as newest_log,
        arraySort(arrayFilter(place -> place != '', groupUniqArrayMerge(places))) as environments
      from (${found}) group by error_fingerprint
    )`,
    { ...halves.params, fingerprints },
  )
}
