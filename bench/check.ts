/**
 * `npm run bench -- check`: how fast POST /check is against two limits measured in the same run,
 * the bare single-row commit on the same PostgreSQL server and the bare `node:http` answer.
 */
import type { BareHttpJob, BareHttpResult } from './bare-http.ts'
import { type Bed, prepareBed, WARM_SECONDS } from './bed.ts'
import type { CheckReport, Row } from './check-report.ts'
import type { Cleanup } from './cleanup.ts'
import { measureHalfLoad, measureMemory } from './endurance.ts'
import type { BenchOptions } from './options.ts'
import {
  combine,
  inRounds,
  machineName,
  measureRun,
  ratios,
  type Sample,
  takenElsewhere,
} from './rounds.ts'
import type { Service } from './service.ts'
import { median } from './statistics.ts'
import { startWorker } from './worker.ts'
import { DOMAINS, startWorld } from './world.ts'

type CheckBed = Bed & { bare_port: number }
const SUBJECTS = ['checks', 'inserts', 'bare_http'] as const

const FIRST_WARM_SECONDS = 4
const FIRST_WARM_CLIENTS = 32

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
  const machine = machineName()
  return { machine, domains: DOMAINS, seconds: options.seconds, rows, half_load, memory }
}

async function prepare(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<CheckBed> {
  const world = await startWorld()
  cleanup.add(world.close)
  const bed = await prepareBed({ options, kind: 'checks', settings: world.settings }, cleanup, tell)
  const bare = startWorker<BareHttpJob, BareHttpResult>('bare-http')
  cleanup.add(bare.stop)
  const { port: bare_port } = await bare.run({ body: await exampleAnswer(bed.service) })
  return { ...bed, bare_port }
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
  await bed.load({ clients: 4, seconds: 30, requests: DOMAINS * 2 })
  await bed.load({ clients: FIRST_WARM_CLIENTS, seconds: FIRST_WARM_SECONDS })
  return (await bed.service.metrics())('vigil_lookups_total')
}

async function measureClients(bed: CheckBed, options: BenchOptions, clients: number): Promise<Row> {
  const samples = await inRounds(
    SUBJECTS,
    { rounds: options.rounds, tell: (round) => bed.tell(`${clients} clients, ${round}`) },
    (name) => measureOnce(bed, name, clients, options.seconds),
  )
  const to_inserts_each = ratios(samples.checks, samples.inserts)
  return {
    clients,
    checks: combine(samples.checks),
    inserts: combine(samples.inserts),
    bare_http: combine(samples.bare_http),
    to_inserts: median(to_inserts_each),
    to_inserts_each,
    to_bare_http: median(ratios(samples.checks, samples.bare_http)),
    taken_elsewhere: takenElsewhere([...samples.checks, ...samples.inserts]),
  }
}

async function measureOnce(
  bed: CheckBed,
  name: (typeof SUBJECTS)[number],
  clients: number,
  seconds: number,
): Promise<Sample> {
  const job = { clients, seconds, warm_seconds: WARM_SECONDS }
  if (name === 'inserts') {
    const { address } = bed.postgres
    return await measureRun(
      bed,
      { service: false, postgres: true, others: true },
      async () => await bed.inserts.run({ ...job, address }),
    )
  }
  if (name === 'checks') {
    const everything = { service: true, postgres: true, others: true }
    return await measureRun(bed, everything, async () => await bed.load(job))
  }
  // The bare HTTP server is not asked what it takes, so its runs say nothing about others.
  return await measureRun(
    bed,
    { service: false, postgres: false, others: false },
    async () => await bed.load({ ...job, port: bed.bare_port, must_echo: false }),
  )
}
