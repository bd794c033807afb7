/**
 * Copies log entries and browser events within the analytics engine, day by day. The copies stay within their day of
 * receipt, because entries are deleted after a month.
 */
import type { ClickHouse } from '../../src/platform/clickhouse/client.ts'

/** Copies of an entry happened within this time before it. */
const SPREAD_MS = 3_600_000
const STEP_MS = 37_000

/** An insert with the text index must fit into the memory of the embedded engine. */
const SETTINGS =
  'max_insert_threads = 1, min_insert_block_size_rows = 200000, min_insert_block_size_bytes = 67108864'

/** The last digits of an id; the engine has the halves of ids in reverse. */
const ID =
  "reinterpret(bitXor(reinterpret(l.id, 'UInt128'), bitShiftLeft(toUInt128(k), 64)), 'UUID') as id"
const TIME = `l.timestamp_ms - (k * ${STEP_MS}) % ${SPREAD_MS}`
const own = (column: string): string =>
  `if(l.${column} = '', '', lower(hex(MD5(concat(l.${column}, toString(k)))))) as ${column}`

const TABLES = {
  edge_logs: (devices: number) => [
    ID,
    `${TIME} as timestamp_ms`,
    `(${TIME}) - positiveModulo(${TIME}, 3600000) as hour_ms`,
    `concat(l.device_id, '-', toString(1 + (k * 5 + cityHash64(l.id) % 5) % ${devices})) as device_id`,
    own('trace_id'),
    own('span_id'),
  ],
  rum_events: () => [
    ID,
    `concat(l.session_id, '-', toString(k)) as session_id`,
    `if(l.vital_id = '', '', concat(l.vital_id, '-', toString(k))) as vital_id`,
    `if(l.vital_id = '', 0, greatest(1, toUInt32(cityHash64(l.vital_name, l.session_id, l.vital_id, k)))) as vital_hash`,
    `replaceAll(l.event, l.session_id, concat(l.session_id, '-', toString(k))) as event`,
  ],
} as const

type EntryCopies = {
  /** Number of entries to have. */
  count: number
  orgId: string
  /** Number of copies of each device. */
  devices: number
  progress: (line: string) => void
}

/** @returns the number of entries that were added */
export async function copyEntries(
  { command, query }: ClickHouse,
  table: keyof typeof TABLES,
  { count, orgId, devices, progress }: EntryCopies,
): Promise<number> {
  const days = await query<{ day: string; entries: number }>(
    `select toString(toDate(received_at)) as day, count() as entries from ${table}
    where org_id = {org:UUID} group by day order by day`,
    { org: orgId },
  )
  const entries = days.reduce((sum, day) => sum + day.entries, 0)
  const times = Math.max(0, Math.ceil(count / Math.max(1, entries)) - 1)
  for (const { day } of times > 0 ? days : []) {
    await command(
      `insert into ${table} select l.* replace(${TABLES[table](devices).join(', ')})
      from ${table} l cross join (select number + 1 as k from numbers({times:UInt32})) n
      where l.org_id = {org:UUID} and toDate(l.received_at) = {day:Date} settings ${SETTINGS}`,
      { times, org: orgId, day },
    )
    progress(`  ${day}`)
  }
  return entries * times
}
