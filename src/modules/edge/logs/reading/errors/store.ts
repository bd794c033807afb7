/** Groups of errors, from the roll-up that is kept of them. */

import { halvesOf, overHalves, type Scope } from '../hours.ts'
import type { LogReader } from '../store.ts'
import type { Window } from '../window.ts'

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

/** Written as in the roll-up of the table: only then it is used. */
const STATES = `count() as logs, minState(timestamp_ms) as firsts, maxState(timestamp_ms) as lasts,
  uniqExactStateIf(device_id, error_fingerprint != '') as devices,
  groupUniqArrayStateIf(environment, error_fingerprint != '') as places,
  argMaxStateIf((leftUTF8(message, 1000), error_type), (timestamp_ms, id),
    error_fingerprint != '') as newest`

/** The most frequent first; type and message are those of the newest. */
export async function readErrorGroups(
  reader: LogReader,
  scope: Scope,
  { window, skip, limit }: { window: Window; skip: number; limit: number },
): Promise<StoredGroup[]> {
  const halves = halvesOf(scope, window)
  const counted = overHalves(
    halves,
    (where) => `select error_fingerprint, error_type, ${STATES} from edge_logs
    where ${where} and error_fingerprint != '' group by error_fingerprint, error_type`,
  )
  return await reader.query<StoredGroup>(
    `select fingerprint, count, affected_devices, first_ms, last_ms, environments,
      newest_log.1 as message, newest_log.2 as error_type
    from (
      select toString(error_fingerprint) as fingerprint, sum(logs) as count,
        uniqExactMerge(devices) as affected_devices, minMerge(firsts) as first_ms,
        maxMerge(lasts) as last_ms, argMaxMerge(newest) as newest_log,
        arraySort(arrayFilter(place -> place != '', groupUniqArrayMerge(places))) as environments
      from (${counted})
      group by error_fingerprint
      order by count desc, last_ms desc, fingerprint
      limit {limit:UInt64} offset {skip:UInt64}
    )
    order by count desc, last_ms desc, fingerprint`,
    { ...halves.params, skip, limit },
  )
}
