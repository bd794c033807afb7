/**
 * `npm run bench -- orders`: how fast orders are scored and committed, without HTTP and through it,
 * against the bare single-row commit on the same PostgreSQL server in the same run.
 */
import { type Bed, prepareBed, WARM_SECONDS } from './bed.ts'
import type { Cleanup } from './cleanup.ts'
import type { CoreJob, CoreResult } from './core.ts'
import { measureHalfLoad, measureMemory } from './endurance.ts'
import type { GrowthJob, GrowthResult } from './growth.ts'
import { type GrowthRow, growthRows } from './growth-report.ts'
import type { LoadResult } from './loop.ts'
import type { BenchOptions } from './options.ts'
import type { OrdersReport, OrdersRow } from './orders-report.ts'
import {
  combine,
  inRounds,
  machineName,
  measureRun,
  type Parties,
  ratios,
  type Sample,
  takenElsewhere,
} from './rounds.ts'
import { median } from './statistics.ts'
import { startWorker, type Worker } from './worker.ts'

type OrdersBed = Bed & { core: Worker<CoreJob, CoreResult>; flagged: Flagged }
type Flagged = { orders: number; flagged: number }
const SUBJECTS = ['core', 'http', 'inserts'] as const

const PARTIES: Record<(typeof SUBJECTS)[number], Parties> = {
  core: { service: false, postgres: true, others: true },
  http: { service: true, postgres: true, others: true },
  inserts: { service: false, postgres: true, others: true },
}
const FIRST_WARM_SECONDS = 4
const FIRST_WARM_CLIENTS = 32
/** Latency is asked for at half of what so many clients get. */
const HALF_LOAD_OF = [32, 128]

export async function benchOrders(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<OrdersReport> {
  const bed = await prepare(options, cleanup, tell)
  const ready = await bed.service.metrics()
  tell('warming up')
  for (const subject of ['http', 'core'] as const) {
    await runOnce(bed, options, subject, FIRST_WARM_CLIENTS, FIRST_WARM_SECONDS)
  }
  const rows: OrdersRow[] = []
  for (const clients of options.clients) rows.push(await measureClients(bed, options, clients))
  const half_loads: OrdersReport['half_loads'] = []
  for (const { clients, http } of rows) {
    if (!HALF_LOAD_OF.includes(clients)) continue
    const half = await measureHalfLoad(bed, options, http.per_second / 2)
    half_loads.push({ clients, ...half })
  }
  const memory =
    options.requests > 0
      ? await measureMemory(bed, options.requests, ready('process_resident_memory_bytes'))
      : undefined
  const growth = options.past_orders > 0 ? await measureGrowth(bed, options, cleanup) : []
  const { orders, flagged } = bed.flagged
  const { shape, seconds } = options
  const flagged_share = flagged / orders
  return { machine: machineName(), shape, seconds, rows, half_loads, memory, growth, flagged_share }
}

async function prepare(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<OrdersBed> {
  const bed = await prepareBed(
    { options, kind: `${options.shape}_orders`, settings: {} },
    cleanup,
    tell,
  )
  const core = startWorker<CoreJob, CoreResult>('core', options.profile_folder)
  cleanup.add(core.stop)
  return { ...bed, core, flagged: { orders: 0, flagged: 0 } }
}

async function measureClients(
  bed: OrdersBed,
  options: BenchOptions,
  clients: number,
): Promise<OrdersRow> {
  const samples = await inRounds(
    SUBJECTS,
    { rounds: options.rounds, tell: (round) => bed.tell(`${clients} clients, ${round}`) },
    (name): Promise<Sample> =>
      measureRun(bed, PARTIES[name], () => runOnce(bed, options, name, clients, options.seconds)),
  )
  const core_to_inserts_each = ratios(samples.core, samples.inserts)
  const http_to_inserts_each = ratios(samples.http, samples.inserts)
  return {
    clients,
    core: combine(samples.core),
    http: combine(samples.http),
    inserts: combine(samples.inserts),
    core_to_inserts: median(core_to_inserts_each),
    core_to_inserts_each,
    http_to_inserts: median(http_to_inserts_each),
    http_to_inserts_each,
    taken_elsewhere: takenElsewhere(Object.values(samples).flat()),
  }
}

async function runOnce(
  bed: OrdersBed,
  { shape }: BenchOptions,
  subject: (typeof SUBJECTS)[number],
  clients: number,
  seconds: number,
): Promise<LoadResult> {
  const job = { seconds, warm_seconds: WARM_SECONDS }
  const { address, data_dir } = bed.postgres
  if (subject === 'inserts') return await bed.inserts.run({ ...job, clients, address })
  if (subject === 'core') {
    const result = await bed.core.run({ ...job, callers: clients, data_dir, shape })
    return noteFlagged(bed.flagged, result, result.flagged)
  }
  const result = await bed.load({ ...job, clients })
  return noteFlagged(bed.flagged, result, result.noticed)
}

function noteFlagged(total: Flagged, result: LoadResult, flagged: number): LoadResult {
  total.orders += result.answered
  total.flagged += flagged
  return result
}

async function measureGrowth(
  { postgres, tell }: Bed,
  { past_orders, rounds }: BenchOptions,
  cleanup: Cleanup,
): Promise<GrowthRow[]> {
  const worker = startWorker<GrowthJob, GrowthResult, string>('growth')
  cleanup.add(worker.stop)
  const { data_dir, address } = postgres
  await worker.run({ step: 'fill', data_dir, address, past_orders }, tell)
  const { runs, sizes } = await worker.run({ step: 'measure', rounds }, tell)
  return growthRows(runs, sizes)
}
