/**
 * Throughput of log intake: acknowledged entries against raw inserts of the same bytes into the spool, the path
 * from the spool to the analytics engine against raw inserts there, and both together in one process.
 */
import { Client } from 'pg'
import { placeOf } from '../src/platform/clickhouse/embedded/place.ts'
import { readState } from '../src/platform/clickhouse/embedded/state-file.ts'
import { decodePayload } from '../src/platform/spool/payload.ts'
import { addWorker, type Bed, type Context, startBed, startService, waitUntil } from './bed.ts'
import { BATCH_ENTRIES } from './log-requests.ts'
import type { LogsDrainJob } from './logs-drain.ts'
import { residentMegabytes } from './processes.ts'
import { type Findings, fine, ratioAim } from './report.ts'
import { combine, compare, measure, type Row, type Run, ratioOf, repeat } from './rounds.ts'
import type { Service } from './service.ts'
import { createServiceLoad, type ServiceLoad } from './service-load.ts'
import { median } from './statistics.ts'

type Sql = (text: string, values?: unknown[]) => Promise<unknown[]>

const SUBJECT = 'POST /edge/logs'
const LIMIT = 'spool INSERT'
const FLUSHER = 'flusher'
const RAW = 'raw RowBinary'
const SETTINGS = {
  VIGIL_RATE_LIMIT_INGEST: '900000000/10',
  // A full spool is measured here and must not be refused.
  VIGIL_SPOOL_MAX_MB: '1048576',
}
const FIRST_WARM = { clients: 8, seconds: 3 }
/** Large batches of many clients take turns, and every client needs several. */
const SECONDS_PER_CLIENT = 0.04
const SAMPLES = 16
const DRAINED_BATCHES = 1000
const DRAINED_BATCHES_QUICK = 200
const AIM_INGEST_RATIO = 0.6
const AIM_DRAIN_RATIO = 0.9

export async function benchLogs(context: Context): Promise<Findings> {
  const { cleanup, onProgress, options } = context
  const unit = `log entries in batches of ${BATCH_ENTRIES}; latency is that of a batch`
  const bed = await startBed(context)
  // This role has no flusher, because nothing flushes what the raw inserts write either.
  const api = await startService(bed, { settings: SETTINGS, role: 'api' })
  const keys = [api.key]
  const database = new Client(bed.address)
  await database.connect()
  cleanup.add(async () => await database.end())
  const sql: Sql = async (text, values) => (await database.query<object>(text, values)).rows
  const load = createServiceLoad(bed, { service: api, kind: 'logs', keys, units: BATCH_ENTRIES })
  onProgress('warming up')
  await load.send(FIRST_WARM)
  await takeSamples(load, sql)
  const acknowledged = await measureAcknowledged(bed, load, sql)
  if (options.main_path_only) return { unit, rows: acknowledged, notes: [], aims: [] }
  const drained = await measureDrain(bed, load, sql)
  await api.stop()
  bed.pids.delete(api.pid)

  const whole = await startService(bed, { settings: SETTINGS })
  const flushing = await measureFlushing(bed, { service: whole, keys, sql, acknowledged })
  const engine = readState(placeOf(bed.data_dir).state_file)?.pid ?? 0
  return {
    unit,
    rows: [...acknowledged, ...drained, ...flushing.rows],
    notes: [
      `flushing finished ${fine(flushing.behind_seconds)} s after the last acknowledgement`,
      `memory of the analytics engine at the end: ${residentMegabytes(engine).toFixed(0)} MB`,
    ],
    aims: [
      ...acknowledged.flatMap((row) => ratioAim(row, AIM_INGEST_RATIO)),
      ...drained.flatMap((row) => ratioAim(row, AIM_DRAIN_RATIO)),
    ],
  }
}

/**
 * Stores the lines that the service writes for a batch where the inserting clients find them. The limit stores
 * them as they are, so that it does not depend on how the service compresses them.
 */
async function takeSamples(load: ServiceLoad, sql: Sql): Promise<void> {
  await emptySpool(sql)
  // With one client, every batch becomes a separate row.
  const { units } = await load.send({ clients: 1, seconds: 30, count: SAMPLES })
  await sql('create table bench_payloads (entries integer not null, payload bytea not null)')
  const rows = await sql(
    `select payload, bytes from analytics_spool where entries = ${BATCH_ENTRIES}`,
  )
  if (rows.length !== units) throw new Error(`${units} batches became ${rows.length} rows`)
  for (const row of rows as { payload: Buffer; bytes: number }[]) {
    const payload = await decodePayload(row)
    await sql('insert into bench_payloads values ($1, $2)', [BATCH_ENTRIES, payload.rows])
  }
  await emptySpool(sql)
}

const emptySpool = async (sql: Sql): Promise<void> => {
  await sql('truncate analytics_spool, intake_receipts')
}

const secondsFor = (clients: number, { options }: Bed): number =>
  Math.max(options.seconds, clients * SECONDS_PER_CLIENT)

async function measureAcknowledged(bed: Bed, load: ServiceLoad, sql: Sql): Promise<Row[]> {
  const rows: Row[] = []
  for (const clients of bed.options.clients) {
    const comparison = { scenario: `${clients} clients`, subjects: [SUBJECT], limit: LIMIT }
    const seconds = secondsFor(clients, bed)
    const measured = await compare(bed, comparison, async (name) => {
      const sample =
        name === LIMIT
          ? await load.measureInserts({ clients, seconds, table: 'spool' })
          : await load.measureHttp({ clients, seconds })
      await emptySpool(sql)
      return sample
    })
    rows.push(...measured)
  }
  return rows
}

async function measureDrain(bed: Bed, load: ServiceLoad, sql: Sql): Promise<Row[]> {
  const { data_dir, address, postgres, options } = bed
  bed.onProgress('filling the spool')
  const count = options.is_quick ? DRAINED_BATCHES_QUICK : DRAINED_BATCHES
  await load.send({ clients: 8, seconds: 120, count })
  const drain = addWorker<LogsDrainJob, Run>(bed, 'logs-drain', true)
  const { units } = await drain.run({ step: 'prepare', data_dir, address })
  const engine = readState(placeOf(data_dir).state_file)?.pid ?? 0
  bed.pids.add(engine)
  const measureOne = async (name: string) => {
    await drain.run({ step: 'reset' })
    return await measure(bed, {
      parties: { load: drain.pid, engine, ...(name === FLUSHER && { postgres }) },
      run: async () => await drain.run({ step: name === FLUSHER ? 'flusher' : 'raw' }),
    })
  }
  bed.onProgress('warming up the analytics engine')
  for (const name of [FLUSHER, RAW]) await measureOne(name)
  const scenario = `spool to engine, ${units} entries`
  const rows = await compare(bed, { scenario, subjects: [FLUSHER], limit: RAW }, measureOne)
  await drain.stop()
  bed.pids.delete(drain.pid)
  await emptySpool(sql)
  return rows
}

type Flushing = { service: Service; keys: string[]; sql: Sql; acknowledged: Row[] }

/** The service passes everything on in the same process; the limit is that of the runs without flushing. */
async function measureFlushing(bed: Bed, { service, keys, sql, acknowledged }: Flushing) {
  const load = createServiceLoad(bed, { service, kind: 'logs', keys, units: BATCH_ENTRIES })
  const best = acknowledged
    .filter(({ subject }) => subject === SUBJECT)
    .reduce((a, b) => (b.per_second > a.per_second ? b : a))
  const limits = acknowledged.filter(
    ({ scenario, subject }) => scenario === best.scenario && subject === LIMIT,
  )
  const clients = Number.parseInt(best.scenario, 10)
  const scenario = `${clients} clients, flushing in the same process`
  const behind: number[] = []
  const untilFlushed = async () => {
    const begun = performance.now()
    await waitUntil('the spool is flushed', 20, async () => {
      const rows = await sql('select from analytics_spool where flushed_at is null limit 1')
      return rows.length === 0
    })
    behind.push((performance.now() - begun) / 1000)
  }
  await load.send(FIRST_WARM)
  await untilFlushed()
  behind.length = 0
  const samples = await repeat(bed, scenario, async () => {
    const sample = await load.measureHttp({ clients, seconds: secondsFor(clients, bed) })
    await untilFlushed()
    return sample
  })
  const row = { scenario, subject: SUBJECT, ...combine(samples) }
  const ratio = ratioOf([row], limits, LIMIT)
  const { half } = await load.measureHalfLoad(scenario, row.per_second / BATCH_ENTRIES)
  return { rows: [{ ...row, ratio }, half], behind_seconds: median(behind) }
}
