/** SQL of pages of logs. */

import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import { conditionsOf, type LogFilters } from '../filters.ts'
import type { StoredLog } from './record.ts'
import { halvesOf, overHalves, rowsIn } from './window-sql.ts'

export type LogReader = Pick<ClickHouse, 'query'>
export type PageOrder = 'newest' | 'oldest'
export type PageQuery = {
  window: Window
  filters: LogFilters
  skip: number
  limit: number
  /** Which log comes first. Default: the newest. */
  order?: PageOrder | undefined
}

/** The hours that contain the rows of a page, and the rows to skip within them. */
type Place = { total: number; hours: number[]; skip: number }

const COLUMNS = `id, toUnixTimestamp64Milli(received_at) as received_at_ms, timestamp_ms, device_id,
  level, category, environment, message, error_type, error_code, error_stack, error_fingerprint,
  data, tags, trace_id, span_id`

/**
 * Returns a page and the total. Hours are counted first, mostly from the roll-ups;
 * then only the rows of the page's hours are read. So the cost of a page does not depend on its
 * number, the number of logs or how rare the matches are.
 */
export async function readPage(
  reader: LogReader,
  owner: Owner,
  query: PageQuery,
): Promise<{ rows: StoredLog[]; total: number }> {
  const place = await findPage(reader, owner, query)
  const { total, hours, skip } = place
  if (hours.length === 0) return { rows: [], total }
  const filter = conditionsOf(query.filters)
  const rows = rowsIn(owner, query.window)
  const direction = directionOf(query)
  const found = await reader.query<StoredLog>(
    `select ${COLUMNS} from edge_logs
    where ${rows.sql} and hour_ms in {hours:Array(Int64)} and ${filter.sql}
    order by hour_ms ${direction}, timestamp_ms ${direction}, id ${direction}
    limit {limit:UInt64} offset {skip:UInt64}`,
    { ...rows.params, ...filter.params, hours, skip, limit: query.limit },
  )
  return { rows: found, total }
}

async function findPage(reader: LogReader, owner: Owner, query: PageQuery): Promise<Place> {
  const { window, filters, skip, limit } = query
  const direction = directionOf(query)
  const filter = conditionsOf(filters)
  const halves = halvesOf(owner, window)
  // The last hour is always selected, because it has the total when the page is past the end.
  const hours = await reader.query<{ hour_ms: number; logs: number; upto: number; total: number }>(
    `select hour_ms, logs, upto, total from (
      select hour_ms, logs, sum(logs) over (order by hour_ms ${direction}) as upto,
        sum(logs) over () as total
      from (
        ${overHalves(
          halves,
          (where) => `select hour_ms, count() as logs from edge_logs
        where ${where} and ${filter.sql} group by hour_ms`,
        )}
      )
    )
    where upto = total or (upto > {skip:UInt64} and upto - logs < {skip:UInt64} + {limit:UInt64})
    order by hour_ms ${direction}`,
    { ...halves.params, ...filter.params, skip, limit },
  )
  const touched = hours.filter(({ upto, logs }) => upto > skip && upto - logs < skip + limit)
  const before = touched[0] === undefined ? 0 : touched[0].upto - touched[0].logs
  return {
    total: hours[0]?.total ?? 0,
    hours: touched.map(({ hour_ms }) => hour_ms),
    skip: skip - before,
  }
}

const directionOf = ({ order = 'newest' }: PageQuery) => (order === 'newest' ? 'desc' : 'asc')
