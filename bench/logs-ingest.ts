/**
 * How many log entries are acknowledged, against the raw insert of the same bytes into the spool. The
 * service passes nothing on meanwhile, as the raw inserts do not; then once more with all of it.
 */
import { WARM_SECONDS } from './bed.ts'
import { emptySpool, type LogsBed, untilArrived } from './logs-bed.ts'
import { LOG_BATCHES, type LogBatchKind } from './logs-requests.ts'
import type { BenchOptions } from './options.ts'
import { combine, inRounds, measureRun, ratios, type Subject, takenElsewhere } from './rounds.ts'
import { median } from './statistics.ts'

export type IngestRow = {
  kind: LogBatchKind
  /** In a batch. */
  entries: number
  clients: number
  /** Of batches, all of them. */
  http: Subject
  inserts: Subject
  /** Median of the ratios of the rounds. */
  ratio: number
  ratio_each: number[]
  /** Share of the machine's processors that other programs had meanwhile, 0 to 1. */
  taken_elsewhere: number
}

export type WholeIngest = {
  clients: number
  /** Batches of 500. */
  http: Pick<Subject, 'per_second' | 'p50_ms' | 'p99_ms'>
  /** To the inserts of the run above, while nothing was passed on. */
  ratio: number
  /** From the last answer of a run until everything had arrived. */
  behind_seconds: number
}

const SUBJECTS = ['http', 'inserts'] as const
const MAIN_KIND = 'logs_500'
/** All kinds are measured with so many clients, or with the most there are. */
const SIDE_CLIENTS = 32

export async function measureIngest(bed: LogsBed, options: BenchOptions): Promise<IngestRow[]> {
  const rows: IngestRow[] = []
  for (const clients of options.clients) {
    rows.push(await measureKind(bed, options, MAIN_KIND, clients))
  }
  const clients = Math.min(SIDE_CLIENTS, Math.max(...options.clients))
  for (const kind of Object.keys(LOG_BATCHES) as LogBatchKind[]) {
    if (kind !== MAIN_KIND) rows.push(await measureKind(bed, options, kind, clients))
  }
  return rows
}

async function measureKind(
  bed: LogsBed,
  options: BenchOptions,
  kind: LogBatchKind,
  clients: number,
): Promise<IngestRow> {
  const { entries } = LOG_BATCHES[kind]
  const seconds = secondsFor(clients, options)
  const job = { kind, clients, seconds, warm_seconds: WARM_SECONDS }
  const { address } = bed.postgres
  const samples = await inRounds(
    SUBJECTS,
    {
      rounds: options.rounds,
      tell: (round) => bed.tell(`batches of ${entries} from ${clients} clients, ${round}`),
    },
    async (name) => {
      const parties = { service: name === 'http', postgres: true, others: true }
      const sample = await measureRun(
        bed,
        parties,
        async () => await (name === 'http' ? bed.load(job) : bed.inserts.run({ ...job, address })),
      )
      await emptySpool(bed)
      return sample
    },
  )
  const ratio_each = ratios(samples.http, samples.inserts)
  return {
    kind,
    entries,
    clients,
    http: combine(samples.http),
    inserts: combine(samples.inserts),
    ratio: median(ratio_each),
    ratio_each,
    taken_elsewhere: takenElsewhere(Object.values(samples).flat()),
  }
}

/** Many large batches take their turn: each client has to be answered several times. */
const secondsFor = (clients: number, { seconds }: BenchOptions): number =>
  Math.max(seconds, clients * SECONDS_PER_CLIENT)

const SECONDS_PER_CLIENT = 0.04

/** @param beside the run to compare with */
export async function measureWholeIngest(
  bed: LogsBed,
  options: BenchOptions,
  { clients, inserts }: Pick<IngestRow, 'clients' | 'inserts'>,
): Promise<WholeIngest> {
  const { rounds } = options
  const seconds = secondsFor(clients, options)
  const runs: (WholeIngest['http'] & { behind_seconds: number })[] = []
  for (let round = 0; round < rounds; round += 1) {
    bed.tell(`passing on meanwhile, round ${round + 1} of ${rounds}`)
    const run = await bed.load({ kind: MAIN_KIND, clients, seconds })
    runs.push({ ...run, behind_seconds: await untilArrived(bed) })
  }
  const of = (read: (run: (typeof runs)[number]) => number) => median(runs.map(read))
  const per_second = of((run) => run.per_second)
  return {
    clients,
    http: { per_second, p50_ms: of((run) => run.p50_ms), p99_ms: of((run) => run.p99_ms) },
    ratio: per_second / inserts.per_second,
    behind_seconds: of((run) => run.behind_seconds),
  }
}
