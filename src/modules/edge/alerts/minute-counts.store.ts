/** Counts the logs that match a rule, or the error groups that are new among them, by the minute in which they happened. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { withMembers } from '../error-merges/store.ts'
import { conditionsOf, type LogFilters } from '../logs/filters.ts'
import type { Level } from '../logs/level.ts'
import type { Condition } from './schema.ts'
import type { AlertKind, MinuteCounts } from './state.ts'

type CountedRule = { org_id: string; kind?: AlertKind; condition: Condition }

/** Counts live logs, or new error groups, that happened from `from` until just before `until`. */
export type CountPerMinute = (
  rule: CountedRule,
  time: { from: Date; until: Date },
  timeoutMs: number,
) => Promise<MinuteCounts>

/**
 * A log whose timestamp was further ahead when it was received comes from a wrong clock (OP-70). It
 * must not fire an alert when its time arrives.
 */
const AHEAD_MAX_MS = 300_000
/** An error group is new if it had no errors for this long. */
const NEW_AFTER_DAYS = 30

export function createMinuteCounts(clickhouse: Pick<ClickHouse, 'query'>, db: Db): CountPerMinute {
  return async ({ org_id, kind, condition }, { from, until }, timeoutMs) => {
    const owner = { org_id, mode: 'live' } as const
    const filters = await withMembers(db, owner, filtersOf(condition, until))
    const { sql, params } = conditionsOf(filters)
    // The index finds the rows by hour; the day of receipt skips the older partitions.
    const matching = `from edge_logs
      where org_id = {org_id:UUID} and mode = 'live'
        and hour_ms >= {from_hour_ms:Int64} and hour_ms < {until_ms:Int64}
        and timestamp_ms >= {from_ms:Int64} and timestamp_ms < {until_ms:Int64}
        and received_on >= {received_on:Date}
        and timestamp_ms <= toUnixTimestamp64Milli(received_at) + {ahead_ms:Int64}
        and (${sql})`
    const rows = await clickhouse.query<{ minute: number; logs: number }>(
      kind === 'new_group' ? newGroupsOf(matching) : logsOf(matching),
      {
        ...params,
        org_id,
        from_ms: from.getTime(),
        from_hour_ms: from.getTime() - (from.getTime() % HOUR_MS),
        received_on: new Date(from.getTime() - AHEAD_MAX_MS).toISOString().slice(0, 10),
        until_ms: until.getTime(),
        ahead_ms: AHEAD_MAX_MS,
        known_from_ms: from.getTime() - (from.getTime() % HOUR_MS) - NEW_AFTER_DAYS * DAY_MS,
      },
      { timeout_ms: timeoutMs },
    )
    return new Map(rows.map(({ minute, logs }) => [minute, logs]))
  }
}

const logsOf = (matching: string): string => `
  select intDiv(timestamp_ms, 60000) as minute, count() as logs ${matching} group by minute`

/** The first error of a group is looked for among all live logs, with the sums by hour. */
const newGroupsOf = (matching: string): string => `
  select intDiv(first_ms, 60000) as minute, count() as logs from (
    select error_fingerprint, min(timestamp_ms) as first_ms from edge_logs
    where org_id = {org_id:UUID} and mode = 'live'
      and hour_ms >= {known_from_ms:Int64} and hour_ms < {until_ms:Int64}
      and error_fingerprint in (
        select error_fingerprint ${matching} and error_fingerprint != '')
    group by error_fingerprint
  ) where first_ms >= {from_ms:Int64} group by minute`

function filtersOf({ level, ...rest }: Condition, until: Date): LogFilters {
  const filters = { ...rest, now_ms: until.getTime() }
  if (level === undefined) return filters
  return { ...filters, levels: [...new Set(level.split(',') as Level[])] }
}
