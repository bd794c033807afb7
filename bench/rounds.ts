/** Runs of several subjects in turn, and what each of them took of the processors. */
import { cpus } from 'node:os'
import type { Bed } from './bed.ts'
import type { LoadResult } from './loop.ts'
import { postgresCpuSeconds } from './postgres-cpu.ts'
import { median } from './statistics.ts'

export type Subject = {
  per_second: number
  p50_ms: number
  p99_ms: number
  /** Processor time per request, in microseconds; postgres is 0 where the system does not tell. */
  cpu_us: { client: number; service: number; postgres: number }
}

export type Sample = Subject & {
  /** Share of the processors that was taken by others; undefined when that is not known. */
  taken_elsewhere: number | undefined
}

/** Which processes besides the load itself work for it; the others are left out of the account. */
export type Parties = { service: boolean; postgres: boolean; others: boolean }

/** Every subject in every round, the order turned around from round to round. */
export async function inRounds<Name extends string, One = Sample>(
  names: readonly Name[],
  { rounds, tell }: { rounds: number; tell: (round: string) => void },
  measure: (name: Name) => Promise<One>,
): Promise<Record<Name, One[]>> {
  const samples = Object.fromEntries(names.map((name): [Name, One[]] => [name, []])) as Record<
    Name,
    One[]
  >
  for (let round = 0; round < rounds; round += 1) {
    tell(`round ${round + 1} of ${rounds}`)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      samples[name].push(await measure(name))
    }
  }
  return samples
}

export async function measureRun(
  bed: Bed,
  parties: Parties,
  run: () => Promise<LoadResult>,
): Promise<Sample> {
  const before = await readCpu(bed)
  const result = await run()
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
      service: parties.service ? each(spent.service) : 0,
      postgres: parties.postgres ? each(spent.postgres) : 0,
    },
    taken_elsewhere: parties.others
      ? Math.max(0, after.busy - before.busy - ours) / (after.total - before.total)
      : undefined,
  }
}

/** Medians over the rounds. */
export function combine(samples: Sample[]): Subject {
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

/** Of the rates of each round: what was measured at about the same time is compared. */
export const ratios = (
  samples: Pick<Sample, 'per_second'>[],
  limits: Pick<Sample, 'per_second'>[],
): number[] =>
  samples.map(({ per_second }, round) => per_second / (limits[round]?.per_second ?? Number.NaN))

export const takenElsewhere = (samples: Pick<Sample, 'taken_elsewhere'>[]): number =>
  median(
    samples.flatMap(({ taken_elsewhere }) =>
      taken_elsewhere === undefined ? [] : [taken_elsewhere],
    ),
  )

export const machineName = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.version}`

export type Cpu = { service: number; postgres: number; busy: number; total: number }

/** Seconds of processor time so far: of the parts, and of everything on this machine. */
export async function readCpu({
  service,
  postgres,
}: Pick<Bed, 'service' | 'postgres'>): Promise<Cpu> {
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
