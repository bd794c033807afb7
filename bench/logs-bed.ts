/** What runs while logs are measured: PostgreSQL, the service in two forms, loads, and samples. */
import { Client } from 'pg'
import { placeOf } from '../src/platform/clickhouse/embedded/place.ts'
import { readState } from '../src/platform/clickhouse/embedded/state-file.ts'
import { WARM_SECONDS } from './bed.ts'
import type { Cleanup } from './cleanup.ts'
import type { HttpLoadJob, HttpLoadResult } from './http-load.ts'
import type { PayloadInsertJob } from './logs-inserts.ts'
import { LOG_BATCHES, type LogBatchKind } from './logs-requests.ts'
import type { LoadResult } from './loop.ts'
import type { BenchOptions } from './options.ts'
import { type BenchPostgres, type Service, startPostgres, startService } from './service.ts'
import { startWorker, type Worker } from './worker.ts'

export type LogsBed = {
  postgres: BenchPostgres
  /** The service that is measured now; it has the key and the organisation of the first one. */
  service: Service
  inserts: Worker<PayloadInsertJob, LoadResult>
  load(job: LogLoadJob): Promise<HttpLoadResult>
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  tell: (step: string) => void
}

export type LogLoadJob = Pick<HttpLoadJob, 'clients' | 'seconds'> &
  Partial<HttpLoadJob> & { kind: LogBatchKind }

/** Connections that neither clients nor services use: superuser reserve and this program. */
const SPARE_CONNECTIONS = 80
const UNLIMITED = '900000000/10'
const SETTINGS = {
  VIGIL_RATE_LIMIT_INGEST: UNLIMITED,
  VIGIL_RATE_LIMIT_CONSOLE: UNLIMITED,
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  // What waits is measured, and must not be refused.
  VIGIL_SPOOL_MAX_MB: '1048576',
}
/** A run before everything else, so that what is compiled when it is hot is compiled. */
const FIRST_WARM_SECONDS = 3
const WARM_CLIENTS = 8

/** The service takes logs in and does not pass them on: what is acknowledged stays in the spool. */
export async function prepareLogs(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<LogsBed> {
  tell('starting PostgreSQL, the service and its surroundings')
  const connections = Math.max(...options.clients) + SPARE_CONNECTIONS
  const postgres = await startPostgres(cleanup, connections, tell)
  const { data_dir } = postgres
  const { profile_folder } = options
  const service = await startService(cleanup, {
    data_dir,
    settings: SETTINGS,
    profile_folder,
    role: 'api',
  })
  const loads = startWorker<HttpLoadJob, HttpLoadResult>('http-load')
  cleanup.add(loads.stop)
  const inserts = startWorker<PayloadInsertJob, LoadResult>('logs-inserts')
  cleanup.add(inserts.stop)
  const client = new Client(postgres.address)
  await client.connect()
  cleanup.add(async () => await client.end())
  const bed: LogsBed = {
    postgres,
    service,
    inserts,
    load: async (job) =>
      await loads.run({
        port: bed.service.port,
        key: bed.service.key,
        warm_seconds: WARM_SECONDS,
        must_echo: true,
        ...job,
      }),
    sql: async (text, values = []) =>
      (await client.query<Record<string, unknown>>(text, values)).rows,
    tell,
  }
  await warmUp(bed)
  await takeSamples(bed)
  return bed
}

async function warmUp({ load, tell }: LogsBed): Promise<void> {
  tell('warming up')
  await load({ kind: 'logs_500', clients: WARM_CLIENTS, seconds: FIRST_WARM_SECONDS })
}

/** From now on what is taken in is passed on as well, by the same process: `vigil serve` as it comes. */
export async function startWholeService(
  bed: LogsBed,
  { profile_folder }: BenchOptions,
  cleanup: Cleanup,
): Promise<void> {
  const { key, org_id, owner } = bed.service
  const { data_dir } = bed.postgres
  await bed.service.stop()
  const whole = await startService(cleanup, { data_dir, settings: SETTINGS, profile_folder })
  bed.service = { ...whole, key, org_id, owner }
  await warmUp(bed)
  await untilArrived(bed)
}

const SAMPLES = 16

/** What the service writes for batches of each kind, where the inserting clients find it. */
async function takeSamples(bed: LogsBed): Promise<void> {
  await bed.sql('create table bench_payloads (kind text, entries integer, payload bytea)')
  for (const kind of Object.keys(LOG_BATCHES) as LogBatchKind[]) {
    await emptySpool(bed)
    // One client, so that each batch is a row of its own.
    const { answered } = await bed.load({ kind, clients: 1, seconds: 30, requests: SAMPLES })
    const [{ rows } = {}] = await bed.sql(
      `with samples as (
        insert into bench_payloads select $1, entries, payload from analytics_spool returning entries)
      select count(*) filter (where entries = $2)::integer as rows from samples`,
      [kind, LOG_BATCHES[kind].entries],
    )
    if (rows !== answered) {
      throw new Error(
        `${answered} batches of the kind ${kind} became ${String(rows)} rows of the spool`,
      )
    }
  }
  await emptySpool(bed)
}

export async function emptySpool({ sql }: Pick<LogsBed, 'sql'>): Promise<void> {
  await sql('truncate analytics_spool, intake_receipts')
}

/** Resolves when everything has arrived in the analytics engine. @returns the seconds it took */
export async function untilArrived({ sql }: Pick<LogsBed, 'sql'>): Promise<number> {
  const begun = performance.now()
  const waiting = async () =>
    (await sql('select from analytics_spool where flushed_at is null limit 1')).length > 0
  while (await waiting()) {
    const seconds = (performance.now() - begun) / 1000
    if (seconds > ARRIVAL_MAX_SECONDS) throw new Error('the spool was not emptied in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return (performance.now() - begun) / 1000
}

const ARRIVAL_MAX_SECONDS = 120

/** @returns the token of the organisation's owner */
export async function signIn({ service }: Pick<LogsBed, 'service'>): Promise<string> {
  const { email, password } = service.owner ?? { email: '', password: '' }
  const answer = await fetch(`http://127.0.0.1:${service.port}/console/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { content } = (await answer.json()) as { content?: { access_token: string } }
  if (!content) throw new Error(`signing in was answered with ${answer.status}`)
  return content.access_token
}

/** Number of the engine's process; undefined while there is none. */
export const enginePid = ({ data_dir }: Pick<BenchPostgres, 'data_dir'>): number | undefined =>
  readState(placeOf(data_dir).state_file)?.pid
