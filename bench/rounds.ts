/** Runs of subjects and their limit in alternating rounds, with the processor time that each run took. */
import type { Bed } from './bed.ts'
import { type ProcessorTime, readProcessorTime } from './processes.ts'
import type { Service } from './service.ts'
import { median } from './statistics.ts'

/** Columns of the report for processor time; each benchmark assigns its processes to them. */
export const PARTIES = ['load', 'service', 'postgres', 'receiver', 'engine'] as const
export type Party = (typeof PARTIES)[number]

/** Outcome of a run. Latencies are missing where units of work do not begin one by one. */
export type Run = {
  /** Units of work done, including those of the warm-up, which also took processor time. */
  units: number
  per_second: number
  p50_ms?: number
  p99_ms?: number
}

export type Sample = Omit<Run, 'units'> & {
  /** Microseconds of processor time per unit of work. */
  cpu_us: Partial<Record<Party, number>>
  /** Share of the processors that other programs took, in percent. */
  others_percent?: number
  /** 99th percentile of the delay of the service's event loop during the run. */
  loop_delay_ms?: number
  /** Resident memory of the service after the run. */
  resident_mb?: number
}

/** Medians over the rounds. */
export type Row = Sample & { scenario: string; subject: string; ratio?: Ratio }

/** Medians of the ratios of single rounds, which were measured at about the same time. */
export type Ratio = { limit: string; median: number; least: number; most: number }

export type Measured = {
  /** The processes that take part; the columns of the others stay empty. */
  parties: Partial<Record<Party, number>>
  /** The service, if it takes part. */
  service?: Service
  run: () => Promise<Run>
}

export const WARM_SECONDS = 0.5
const LOOP_DELAY = 'nodejs_eventloop_lag_p99_seconds'
/** The histogram of Node.js measures from tick to tick of a timer of this interval. */
const LOOP_TIMER_MS = 10

export async function measure(bed: Bed, { parties, service, run }: Measured): Promise<Sample> {
  // Reading the metrics restarts their histogram of event loop delays.
  await service?.metrics()
  const before = readProcessorTime(bed.postgres, bed.pids)
  const { units, ...result } = await run()
  const after = readProcessorTime(bed.postgres, bed.pids)
  const metrics = await service?.metrics()
  return {
    ...result,
    ...shares(before, after, { parties, units }),
    ...(metrics && {
      loop_delay_ms: Math.max(0, metrics(LOOP_DELAY) * 1000 - LOOP_TIMER_MS),
      resident_mb: metrics('process_resident_memory_bytes') / 1_048_576,
    }),
  }
}

export function shares(
  before: ProcessorTime,
  after: ProcessorTime,
  { parties, units }: Pick<Measured, 'parties'> & Pick<Run, 'units'>,
): Pick<Sample, 'cpu_us' | 'others_percent'> {
  if (after.processes.size === 0) return { cpu_us: {} }
  const spent = (pid: number) => (after.processes.get(pid) ?? 0) - (before.processes.get(pid) ?? 0)
  const own = [...after.processes.keys()].reduce((sum, pid) => sum + spent(pid), 0)
  const total = Math.max(0.001, after.total - before.total)
  return {
    cpu_us: Object.fromEntries(
      Object.entries(parties).map(([party, pid]) => [party, (spent(pid) * 1e6) / units]),
    ),
    others_percent: (100 * Math.max(0, after.busy - before.busy - own)) / total,
  }
}

type Comparison<Name extends string> = {
  scenario: string
  subjects: readonly Name[]
  /** Subjects are compared with this one, which is measured in the same rounds. */
  limit: Name
}

/** Measures every subject and the limit in every round, in an order that alternates. */
export async function compare<Name extends string>(
  bed: Bed,
  { scenario, subjects, limit }: Comparison<Name>,
  measureOne: (name: Name) => Promise<Sample>,
): Promise<Row[]> {
  const names = [...subjects, limit]
  const samples = new Map(names.map((name): [Name, Sample[]] => [name, []]))
  await repeat(bed, scenario, async (round) => {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples.get(name)?.push(await measureOne(name))
    }
  })
  const limits = samples.get(limit) ?? []
  return names.map((name) => {
    const own = samples.get(name) ?? []
    const row = { scenario, subject: name, ...combine(own) }
    return name === limit ? row : { ...row, ratio: ratioOf(own, limits, limit) }
  })
}

export function ratioOf(
  samples: Pick<Sample, 'per_second'>[],
  limits: Pick<Sample, 'per_second'>[],
  limit: string,
): Ratio {
  const ratios = samples.map(
    ({ per_second }, round) => per_second / (limits[round]?.per_second ?? Number.NaN),
  )
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  return { limit, median: median(ratios), least, most }
}

/** Measures in every round. */
export async function repeat<Result>(
  { options, onProgress }: Bed,
  scenario: string,
  measureRound: (round: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let round = 0; round < options.rounds; round += 1) {
    onProgress(`${scenario}, round ${round + 1} of ${options.rounds}`)
    results.push(await measureRound(round))
  }
  return results
}

const FIGURES = [
  'per_second',
  'p50_ms',
  'p99_ms',
  'others_percent',
  'loop_delay_ms',
  'resident_mb',
] as const

/** Takes the median of every figure; all samples have the same figures. */
export function combine(samples: Sample[]): Sample {
  const row: Sample = { per_second: Number.NaN, cpu_us: {} }
  for (const figure of FIGURES) {
    const values = samples.flatMap((sample) => sample[figure] ?? [])
    if (values.length > 0) row[figure] = median(values)
  }
  for (const party of PARTIES) {
    const values = samples.flatMap(({ cpu_us }) => cpu_us[party] ?? [])
    if (values.length > 0) row.cpu_us[party] = median(values)
  }
  return row
}
