/** How many logs match a rule, by the minute they happened in. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { conditionsOf } from '../../logs/filters.ts'
import { filtersOf } from '../condition.ts'
import type { Condition } from '../schema.ts'
import type { MinuteCounts } from '../state.ts'

type CountedRule = { org_id: string; condition: Condition }

/** Of live logs that happened in a time; `until` does not belong to it. */
export type CountPerMinute = (
  rule: CountedRule,
  time: { from: Date; until: Date },
  timeoutMs: number,
) => Promise<MinuteCounts>

/**
 * A log from further in the future, when it was received, was told by a clock that is wrong: its
 * time will come, and must not fire anything then.
 */
const AHEAD_MAX_MS = 300_000
const HOUR_MS = 3_600_000

export function createMinuteCounts(clickhouse: Pick<ClickHouse, 'query'>): CountPerMinute {
  return async ({ org_id, condition }, { from, until }, timeoutMs) => {
    const { sql, params } = conditionsOf(filtersOf(condition))
    // Hours lead to the rows; days of receipt leave out the parts from before.
    const rows = await clickhouse.query<{ minute: number; logs: number }>(
      `select intDiv(timestamp_ms, 60000) as minute, count() as logs
      from edge_logs
      where org_id = {org_id:UUID} and mode = 'live'
        and hour_ms >= {from_hour_ms:Int64} and hour_ms < {until_ms:Int64}
        and timestamp_ms >= {from_ms:Int64} and timestamp_ms < {until_ms:Int64}
        and received_on >= {received_on:Date}
        and timestamp_ms <= toUnixTimestamp64Milli(received_at) + {ahead_ms:Int64}
        and (${sql})
      group by minute`,
      {
        ...params,
        org_id,
        from_ms: from.getTime(),
        from_hour_ms: from.getTime() - (from.getTime() % HOUR_MS),
        received_on: new Date(from.getTime() - AHEAD_MAX_MS).toISOString().slice(0, 10),
        until_ms: until.getTime(),
        ahead_ms: AHEAD_MAX_MS,
      },
      { timeout_ms: timeoutMs },
    )
    return new Map(rows.map(({ minute, logs }) => [minute, logs]))
  }
}
