/** The two longer measurements of the service: latency at half load, and memory over many requests. */
import type { Bed } from './bed.ts'
import type { BenchOptions } from './options.ts'
import { median } from './statistics.ts'

export type HalfLoad = {
  asked_per_second: number
  per_second: number
  p50_ms: number
  p99_ms: number
  max_ms: number
  worst_p99_ms: number
  event_loop_delay_p99_ms: number
}

export type Memory = {
  /** When the service had just started. */
  ready_mb: number
  samples: { requests: number; rss_mb: number; heap_mb: number }[]
  per_second: number
  /** Growth of the median, from the start to the first half and from there to the second. */
  first_half_mb: number
  second_half_mb: number
}

/** More than half load ever needs at once; what has to wait for one, waits on the record. */
const HALF_LOAD_CLIENTS = 64
const HALF_LOAD_LENGTHS = 2
const MEMORY_CLIENTS = 32
const MEMORY_SECONDS_MAX = 280
const MEMORY_STEP = 20_000
/** The histogram of Node.js measures from tick to tick of a timer of this interval. */
export const DELAY_INTERVAL_MS = 10

export async function measureHalfLoad(
  bed: Bed,
  options: BenchOptions,
  perSecond: number,
): Promise<HalfLoad> {
  const runs: HalfLoad[] = []
  for (let round = 0; round < options.rounds; round += 1) {
    bed.tell(`half load (${Math.round(perSecond)}/s), round ${round + 1} of ${options.rounds}`)
    // Reading the metrics starts their histogram of delays anew.
    await bed.service.metrics()
    const result = await bed.load({
      clients: HALF_LOAD_CLIENTS,
      seconds: options.seconds * HALF_LOAD_LENGTHS,
      per_second: perSecond,
    })
    const delaySeconds = (await bed.service.metrics())('nodejs_eventloop_lag_p99_seconds')
    runs.push({
      ...result,
      asked_per_second: perSecond,
      event_loop_delay_p99_ms: Math.max(0, delaySeconds * 1000 - DELAY_INTERVAL_MS),
      worst_p99_ms: result.p99_ms,
    })
  }
  const of = (read: (run: HalfLoad) => number) => median(runs.map(read))
  return {
    asked_per_second: perSecond,
    per_second: of((run) => run.per_second),
    p50_ms: of((run) => run.p50_ms),
    p99_ms: of((run) => run.p99_ms),
    max_ms: Math.max(...runs.map((run) => run.max_ms)),
    worst_p99_ms: Math.max(...runs.map((run) => run.worst_p99_ms)),
    event_loop_delay_p99_ms: of((run) => run.event_loop_delay_p99_ms),
  }
}

/** Nothing is forced: this is the memory as the operating system sees it. */
export async function measureMemory(
  bed: Bed,
  requests: number,
  readyBytes: number,
): Promise<Memory> {
  bed.tell(`memory over ${requests} requests`)
  const samples: Memory['samples'] = []
  const read = async (answered: number) => {
    const metrics = await bed.service.metrics()
    const sample = {
      requests: answered,
      rss_mb: megabytes(metrics('process_resident_memory_bytes')),
      heap_mb: megabytes(metrics('nodejs_heap_size_used_bytes')),
    }
    samples.push(sample)
    bed.tell(`  ${answered} requests: ${sample.rss_mb.toFixed(0)} MB resident`)
  }
  await read(0)
  const reading: Promise<void>[] = []
  const { per_second, answered } = await bed.load(
    {
      clients: MEMORY_CLIENTS,
      warm_seconds: 0,
      seconds: MEMORY_SECONDS_MAX,
      requests,
      progress_every: MEMORY_STEP,
    },
    (count) => void reading.push(read(count).catch((error: unknown) => bed.tell(String(error)))),
  )
  await Promise.all(reading)
  if (answered < requests) {
    throw new Error(`only ${answered} of ${requests} requests within ${MEMORY_SECONDS_MAX} s`)
  }
  return { ready_mb: megabytes(readyBytes), samples, per_second, ...growthOf(samples) }
}

const megabytes = (bytes: number): number => bytes / 1_048_576

/**
 * A leak shows in what is usual: the peaks come and go with garbage collection, so the halves of the
 * run are compared by their medians, without the start.
 */
function growthOf(samples: Memory['samples']): Pick<Memory, 'first_half_mb' | 'second_half_mb'> {
  const [start, ...later] = samples.map(({ rss_mb }) => rss_mb)
  const middle = Math.floor(later.length / 2)
  const first = median(later.slice(0, middle))
  return {
    first_half_mb: first - (start ?? Number.NaN),
    second_half_mb: median(later.slice(middle)) - first,
  }
}
