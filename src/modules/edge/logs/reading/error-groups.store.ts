/**
 * SQL of the error groups. They come from their roll-up if it has the columns of the filters, otherwise
 * from the rows.
 */

import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { type Merges, membersOf } from '../../error-merges/merges.ts'
import { conditionsOf, type LogFilters } from '../filters.ts'
import type { ErrorGroupRecord } from '../schema.ts'
import type { LogReader } from './store.ts'
import { type Halves, halvesOf, overHalves } from './window-sql.ts'

export type StoredGroup = Omit<ErrorGroupRecord, 'error_type' | 'first_seen' | 'last_seen'> & {
  error_type: string
  first_ms: number
  last_ms: number
}

type GroupQuery = {
  window: Window
  filters: LogFilters
  merges: Merges
  /** Only these groups, or all others. */
  selected?: GroupSelection | undefined
  skip: number
  limit: number
}

export type GroupSelection = { groups: readonly string[]; is_excluded: boolean }

/** Must be spelled exactly as in the projection of the table, or ClickHouse does not use it. */
const DETAILS = `count() as logs, minState(timestamp_ms) as firsts, maxState(timestamp_ms) as lasts,
  uniqExactStateIf(device_id, error_fingerprint != '') as devices,
  groupUniqArrayStateIf(environment, error_fingerprint != '') as places,
  argMaxStateIf((leftUTF8(message, 1000), error_type), (timestamp_ms, id),
    error_fingerprint != '') as newest`

/**
 * Returns one group or a page of all groups, most frequent first; type and message are those of the
 * newest error. All groups are counted, but devices, which are most of the work, are merged only for
 * the groups of the page.
 */
export async function readErrorGroups(
  reader: LogReader,
  owner: Owner,
  query: GroupQuery,
): Promise<StoredGroup[]> {
  const halves = halvesOf(owner, query.window)
  const counted = await countGroups(reader, halves, query)
  if (counted.length === 0) return []
  const fingerprints = counted.map(({ fingerprint }) => fingerprint)
  const details = await readDetails(reader, halves, query, fingerprints)
  const byFingerprint = new Map(details.map((detail) => [detail.fingerprint, detail]))
  return counted.flatMap((group) => {
    const detail = byFingerprint.get(group.fingerprint)
    // The retention may have deleted a group since it was counted.
    return detail === undefined ? [] : [{ ...detail, ...group }]
  })
}

/** @param query.fingerprints those of one group */
export async function readErrorGroup(
  reader: LogReader,
  owner: Owner,
  query: { window: Window; merges: Merges; fingerprints: readonly string[] },
): Promise<StoredGroup | undefined> {
  const halves = halvesOf(owner, query.window)
  const [group] = await readDetails(reader, halves, { ...query, filters: {} }, query.fingerprints)
  return group
}

type CountedGroup = Pick<StoredGroup, 'fingerprint' | 'count' | 'last_ms'>

async function countGroups(
  reader: LogReader,
  halves: Halves,
  { filters, merges, selected, skip, limit }: GroupQuery,
): Promise<CountedGroup[]> {
  const filter = conditionsOf(filters)
  const group = groupSql(merges)
  const isSelected = selected
    ? `where ${group.sql} ${selected.is_excluded ? 'not in' : 'in'} {selected:Array(String)}`
    : ''
  const counted = overHalves(
    halves,
    (where) => `select error_fingerprint, count() as logs, maxState(timestamp_ms) as lasts
    from edge_logs where ${where} and error_fingerprint != '' and ${filter.sql}
    group by error_fingerprint`,
  )
  return await reader.query<CountedGroup>(
    `select ${group.sql} as fingerprint, sum(logs) as count, maxMerge(lasts) as last_ms
    from (${counted}) ${isSelected}
    group by fingerprint
    order by count desc, last_ms desc, fingerprint
    limit {limit:UInt64} offset {skip:UInt64}`,
    {
      ...halves.params,
      ...filter.params,
      ...group.params,
      ...(selected && { selected: selected.groups }),
      skip,
      limit,
    },
  )
}

async function readDetails(
  reader: LogReader,
  halves: Halves,
  { filters, merges }: Pick<GroupQuery, 'filters' | 'merges'>,
  groups: readonly string[],
): Promise<StoredGroup[]> {
  const filter = conditionsOf(filters)
  const group = groupSql(merges)
  const fingerprints = membersOf(merges, groups)
  const found = overHalves(
    halves,
    (where) => `select error_fingerprint, ${DETAILS} from edge_logs
    where ${where} and error_fingerprint in {fingerprints:Array(String)} and ${filter.sql}
    group by error_fingerprint`,
  )
  return await reader.query(
    `select fingerprint, count, affected_devices, first_ms, last_ms, environments,
      newest_log.1 as message, newest_log.2 as error_type
    from (
      select ${group.sql} as fingerprint, sum(logs) as count,
        uniqExactMerge(devices) as affected_devices, minMerge(firsts) as first_ms,
        maxMerge(lasts) as last_ms,
        argMaxMerge(newest) as newest_log,
        arraySort(arrayFilter(place -> place != '', groupUniqArrayMerge(places))) as environments
      from (${found}) group by fingerprint
    )`,
    { ...halves.params, ...filter.params, ...group.params, fingerprints },
  )
}

/** The group of `error_fingerprint`. Roll-ups count by fingerprint, so it is applied to their sums. */
export function groupSql(merges: Merges): { sql: string; params: Record<string, unknown> } {
  if (merges.size === 0) return { sql: 'toString(error_fingerprint)', params: {} }
  return {
    sql: `transform(toString(error_fingerprint), {merged:Array(String)}, {merged_into:Array(String)},
      toString(error_fingerprint))`,
    params: { merged: [...merges.keys()], merged_into: [...merges.values()] },
  }
}
