/**
 * Compares the logs that were acknowledged to their senders with what is stored: the raw rows of the
 * analytics engine, the charged usage, and the devices.
 */
import { sql } from 'kysely'
import { openAnalyticsOf } from '../../src/app/stores.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { withDatabase } from './books.ts'
import type { LogBatch, LogLedger, SentLog } from './log-load.ts'

/** Numbers on which all readings must agree. */
export type LogCounts = {
  logs: number
  by_level: Record<string, number>
  errors: number
  devices: number
}

export type ReadLog = SentLog & { id: string }

export type LogBooks = {
  /** Messages that were acknowledged and are not stored. */
  missing: string[]
  /** Messages that are stored more than once. */
  doubled: string[]
  /** Messages that were never sent, or differ from what was sent. */
  unknown: string[]
}

export const countsOf = (logs: readonly SentLog[]): LogCounts => {
  const by_level: Record<string, number> = {}
  for (const { level } of logs) by_level[level] = (by_level[level] ?? 0) + 1
  return {
    logs: logs.length,
    by_level,
    errors: logs.filter(({ level }) => level === 'error' || level === 'fatal').length,
    devices: new Set(logs.map(({ device_id }) => device_id)).size,
  }
}

/** Entries of batches that were never acknowledged can be stored, but not more than once. */
export function compareLogs(
  found: readonly SentLog[],
  { acknowledged, abandoned }: LogLedger,
  mode: Mode,
): LogBooks {
  const entriesOf = (batches: readonly LogBatch[]) =>
    batches.flatMap((batch) => (batch.mode === mode ? batch.entries : []))
  const expected = entriesOf([...acknowledged.values()])
  const sent = new Map([...expected, ...entriesOf(abandoned)].map((one) => [one.message, one]))
  const times = new Map<string, number>()
  for (const { message } of found) times.set(message, (times.get(message) ?? 0) + 1)
  return {
    missing: expected.filter(({ message }) => !times.has(message)).map(({ message }) => message),
    doubled: [...times].filter(([, count]) => count > 1).map(([message]) => message),
    unknown: found
      .filter((one) => textOf(one) !== textOf(sent.get(one.message)))
      .map(({ message }) => message),
  }
}

const textOf = (log: SentLog | undefined): string =>
  log === undefined ? '' : `${log.device_id} ${log.level} ${log.timestamp} ${log.message}`

/** Whether everything has arrived in the engine. The service can be running at the same time. */
export const hasAllArrived = async (dataDir: string): Promise<boolean> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql`
      select from analytics_spool where flushed_at is null limit 1`.execute(db)
    return rows.length === 0
  })

/** Reads the rows of the table itself, with an engine that is started for this. */
export async function readRawLogs(dataDir: string): Promise<Record<Mode, ReadLog[]>> {
  const config = readConfig({})
  const { clickhouse, close } = openAnalyticsOf(config, {
    data_dir: dataDir,
    log: createLog('silent'),
    progress: () => undefined,
  })
  try {
    const read = async (mode: Mode) => {
      const rows = await clickhouse.query<RawLog>(
        `select toString(id) as id, device_id, toString(level) as level, message, timestamp_ms
         from edge_logs where mode = {mode:String}`,
        { mode },
      )
      return rows.map(asRead)
    }
    return { live: await read('live'), test: await read('test') }
  } finally {
    await close()
  }
}

type RawLog = Omit<ReadLog, 'timestamp'> & { timestamp_ms: number }

const asRead = ({ timestamp_ms, ...log }: RawLog): ReadLog => ({
  ...log,
  timestamp: new Date(timestamp_ms).toISOString(),
})

/** Number of entries and their price in credits. */
export type Charged = { logs: number; credits: number }

/** Sums of the single charges and of the months, and the number of devices, of one mode. */
export type LogAccount = { usage: Charged; months: Charged; devices: number }

export const readLogAccounts = async (
  dataDir: string,
  orgId: string,
): Promise<Record<Mode, LogAccount>> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql<{ mode: Mode } & LogAccount>`
      select mode, json_build_object('logs', coalesce(u.logs, 0), 'credits', coalesce(u.credits, 0)) as usage,
        json_build_object('logs', coalesce(m.logs, 0), 'credits', coalesce(m.credits, 0)) as months,
        (select count(*) from edge_devices d where d.org_id = ${orgId} and d.mode = modes.mode) as devices
      from (values ('live'), ('test')) as modes (mode)
      left join (select mode, sum(quantity) as logs, sum(cost_units) / 10000.0 as credits
        from usage_events where org_id = ${orgId} and meter = 'edge_log' group by mode) u using (mode)
      left join (select mode, sum(quantity) as logs, sum(cost_units) / 10000.0 as credits
        from usage_months where org_id = ${orgId} and meter = 'edge_log' group by mode) m using (mode)`.execute(
      db,
    )
    const rowOf = (mode: Mode) => rows.find((row) => row.mode === mode)
    return { live: accountOf(rowOf('live')), test: accountOf(rowOf('test')) }
  })

const accountOf = (row: LogAccount | undefined): LogAccount => {
  if (!row) throw new Error('a mode without an account')
  return { usage: row.usage, months: row.months, devices: row.devices }
}

/** Price in credits of this number of logs in one month (specification, "Billing"; OP-21). */
export function creditsOf(logs: number): number {
  const upTo = (limit: number) => Math.min(logs, limit)
  const tenThousandths =
    upTo(10_000) * 10 +
    (upTo(100_000) - upTo(10_000)) * 8 +
    (upTo(1_000_000) - upTo(100_000)) * 5 +
    (logs - upTo(1_000_000)) * 3
  return tenThousandths / 10_000
}
