/** How fast a full spool is emptied into the analytics engine, against the same lines from memory. */
import type { Cleanup } from './cleanup.ts'
import { emptySpool, type LogsBed } from './logs-bed.ts'
import type { DrainJob, DrainResult } from './logs-drain-worker.ts'
import type { BenchOptions } from './options.ts'
import { inRounds, ratios } from './rounds.ts'
import { median } from './statistics.ts'
import { startWorker } from './worker.ts'

export type Draining = {
  per_second: number
  /** Processor time of the process that sends, in microseconds per entry. */
  cpu_us: number
  blocks: number
}

export type Drain = {
  entries: number
  flusher: Draining
  raw: Draining
  /** Median of the ratios of the rounds. */
  ratio: number
  ratio_each: number[]
}

const SUBJECTS = ['flusher', 'raw'] as const
const KIND = 'logs_500'
const BATCHES = 1000
const BATCHES_QUICK = 200
const FILL_CLIENTS = 8
const FILL_SECONDS_MAX = 120

export async function measureDrain(
  bed: LogsBed,
  options: BenchOptions,
  cleanup: Cleanup,
): Promise<Drain> {
  bed.tell('filling the spool')
  await emptySpool(bed)
  await bed.load({
    kind: KIND,
    clients: FILL_CLIENTS,
    seconds: FILL_SECONDS_MAX,
    requests: options.is_quick ? BATCHES_QUICK : BATCHES,
  })
  const worker = startWorker<DrainJob, DrainResult>('logs-drain', options.profile_folder)
  cleanup.add(worker.stop)
  const { data_dir, address } = bed.postgres
  const { entries } = await worker.run({ step: 'keep', data_dir, address })
  bed.tell('warming up the analytics engine')
  for (const step of SUBJECTS) await worker.run({ step })
  const runs = await inRounds(
    SUBJECTS,
    { rounds: options.rounds, tell: (round) => bed.tell(`spool to engine, ${round}`) },
    async (step) => await worker.run({ step }),
  )
  await worker.stop()
  await emptySpool(bed)
  const [flusher, raw] = [runs.flusher.map(rateOf), runs.raw.map(rateOf)]
  const ratio_each = ratios(flusher, raw)
  return {
    entries,
    flusher: combine(flusher),
    raw: combine(raw),
    ratio: median(ratio_each),
    ratio_each,
  }
}

const rateOf = ({ entries, seconds, cpu_seconds, blocks }: DrainResult): Draining => ({
  per_second: entries / seconds,
  cpu_us: (cpu_seconds * 1e6) / entries,
  blocks,
})

function combine(runs: Draining[]): Draining {
  const of = (read: (run: Draining) => number) => median(runs.map(read))
  return {
    per_second: of((run) => run.per_second),
    cpu_us: of((run) => run.cpu_us),
    blocks: of((run) => run.blocks),
  }
}
