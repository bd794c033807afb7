/**
 * `npm run bench -- check`: how fast POST /check is against two limits measured in the same run,
 * the bare single-row commit on the same PostgreSQL server and the bare `node:http` answer.
 */
import { cpus } from 'node:os'
import type { BareHttpJob, BareHttpResult } from './bare-http.ts'
import { measureHalfLoad, measureMemory } from './check-endurance.ts'
import type { CheckReport, Row, Subject } from './check-report.ts'
import type { Cleanup } from './cleanup.ts'
import type { LoadJob, LoadResult } from './http-load.ts'
import type { InsertJob, InsertResult } from './insert-load.ts'
import type { BenchOptions } from './options.ts'
import { postgresCpuSeconds } from './postgres-cpu.ts'
import { type BenchPostgres, type Service, startPostgres, startService } from './service.ts'
import { median } from './statistics.ts'
import { startWorker, type Worker } from './worker.ts'
import { DOMAINS, startWorld } from './world.ts'

/** Everything that is running while measurements are taken. */
export type Bed = {
  service: Service
  postgres: BenchPostgres
  inserts: Worker<InsertJob, InsertResult>
  bare_port: number
  /** A load on the service, filled up with what all loads have in common. */
  check(
    job: Pick<LoadJob, 'clients' | 'seconds'> & Partial<LoadJob>,
    onProgress?: (answered: number) => void,
  ): Promise<LoadResult>
  tell: (step: string) => void
}

type Sample = {
  per_second: number
  p50_ms: number
  p99_ms: number
  cpu_us: Subject['cpu_us']
  taken_elsewhere: number | undefined
}
type SubjectName = 'checks' | 'inserts' | 'bare_http'

const WARM_SECONDS = 0.5
const FIRST_WARM_SECONDS = 4
const FIRST_WARM_CLIENTS = 32
/** Connections that neither clients nor the service use: superuser reserve and this program. */
const SPARE_CONNECTIONS = 40

export async function benchCheck(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<CheckReport> {
  const bed = await prepare(options, cleanup, tell)
  const ready = await bed.service.metrics()
  const lookupsBefore = await warmUp(bed)
  const rows: Row[] = []
  for (const clients of options.clients) rows.push(await measureClients(bed, options, clients))
  const peak = Math.max(...rows.map((row) => row.checks.per_second))
  const half_load = await measureHalfLoad(bed, options, peak / 2)
  const memory =
    options.requests > 0
      ? await measureMemory(bed, options.requests, ready('process_resident_memory_bytes'))
      : undefined
  const lookups = (await bed.service.metrics())('vigil_lookups_total') - lookupsBefore
  if (lookups > 0) throw new Error(`${lookups} look-ups went outside; the domains were not warm`)
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.version}`
  return { machine, domains: DOMAINS, seconds: options.seconds, rows, half_load, memory }
}

async function prepare(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<Bed> {
  tell('starting PostgreSQL, the service and its surroundings')
  const world = await startWorld()
  cleanup.add(world.close)
  const postgres = await startPostgres(
    cleanup,
    Math.max(...options.clients) + SPARE_CONNECTIONS,
    tell,
  )
  const service = await startService(cleanup, {
    data_dir: postgres.data_dir,
    settings: world.settings,
    profile_folder: options.profile_folder,
  })
  const load = startWorker<LoadJob, LoadResult, number>('http-load')
  cleanup.add(load.stop)
  const inserts = startWorker<InsertJob, InsertResult>('insert-load')
  cleanup.add(inserts.stop)
  const bare = startWorker<BareHttpJob, BareHttpResult>('bare-http')
  cleanup.add(bare.stop)
  const { port: bare_port } = await bare.run({ body: await exampleAnswer(service) })
  const common = {
    port: service.port,
    key: service.key,
    warm_seconds: WARM_SECONDS,
    must_echo: true,
  }
  const check: Bed['check'] = async (job, onProgress) =>
    await load.run({ ...common, ...job }, onProgress)
  return { service, postgres, inserts, bare_port, check, tell }
}

async function exampleAnswer({ port, key }: Service): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/check`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'somebody@mailinator.com', event_type: 'signup' }),
  })
  return await answer.text()
}

/** @returns how many look-ups it took to know all domains; from then on there are no more */
async function warmUp(bed: Bed): Promise<number> {
  bed.tell('warming up')
  await bed.check({ clients: 4, seconds: 30, requests: DOMAINS * 2 })
  await bed.check({ clients: FIRST_WARM_CLIENTS, seconds: FIRST_WARM_SECONDS })
  return (await bed.service.metrics())('vigil_lookups_total')
}

async function measureClients(bed: Bed, options: BenchOptions, clients: number): Promise<Row> {
  const samples: Record<SubjectName, Sample[]> = { checks: [], inserts: [], bare_http: [] }
  const names = Object.keys(samples) as SubjectName[]
  for (let round = 0; round < options.rounds; round += 1) {
    bed.tell(`${clients} clients, round ${round + 1} of ${options.rounds}`)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples[name].push(await measureOnce(bed, name, clients, options.seconds))
    }
  }
  const ratios = (limit: SubjectName) =>
    samples.checks.map(
      ({ per_second }, round) => per_second / (samples[limit][round]?.per_second ?? Number.NaN),
    )
  return {
    clients,
    checks: combine(samples.checks),
    inserts: combine(samples.inserts),
    bare_http: combine(samples.bare_http),
    to_inserts: median(ratios('inserts')),
    to_inserts_each: ratios('inserts'),
    to_bare_http: median(ratios('bare_http')),
    taken_elsewhere: median(
      [...samples.checks, ...samples.inserts].flatMap(({ taken_elsewhere }) =>
        taken_elsewhere === undefined ? [] : [taken_elsewhere],
      ),
    ),
  }
}

async function measureOnce(
  bed: Bed,
  name: SubjectName,
  clients: number,
  seconds: number,
): Promise<Sample> {
  const job = { clients, seconds, warm_seconds: WARM_SECONDS }
  const before = await readCpu(bed)
  const result =
    name === 'inserts'
      ? await bed.inserts.run({ ...job, address: bed.postgres.address })
      : await bed.check(name === 'checks' ? job : { ...job, port: bed.bare_port, must_echo: false })
  const after = await readCpu(bed)
  const spent = {
    client: result.cpu_seconds,
    service: after.service - before.service,
    postgres: after.postgres - before.postgres,
  }
  const ours = spent.client + spent.service + spent.postgres
  const each = (cpuSeconds: number) => (cpuSeconds * 1e6) / result.answered
  return {
    ...result,
    cpu_us: {
      client: each(spent.client),
      service: name === 'checks' ? each(spent.service) : 0,
      postgres: name === 'bare_http' ? 0 : each(spent.postgres),
    },
    // The bare HTTP server is not asked what it takes, so its runs say nothing.
    taken_elsewhere:
      name === 'bare_http'
        ? undefined
        : Math.max(0, after.busy - before.busy - ours) / (after.total - before.total),
  }
}

type Cpu = { service: number; postgres: number; busy: number; total: number }

/** Seconds of processor time so far: of the parts, and of everything on this machine. */
async function readCpu({ service, postgres }: Bed): Promise<Cpu> {
  const metrics = await service.metrics()
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq
    busy += used / 1000
    total += (used + times.idle) / 1000
  }
  return {
    service: metrics('process_cpu_seconds_total'),
    postgres: postgresCpuSeconds(postgres.cluster) ?? 0,
    busy,
    total,
  }
}

function combine(samples: Sample[]): Subject {
  const of = (read: (sample: Sample) => number) => median(samples.map(read))
  return {
    per_second: of((sample) => sample.per_second),
    p50_ms: of((sample) => sample.p50_ms),
    p99_ms: of((sample) => sample.p99_ms),
    cpu_us: {
      client: of((sample) => sample.cpu_us.client),
      service: of((sample) => sample.cpu_us.service),
      postgres: of((sample) => sample.cpu_us.postgres),
    },
  }
}
