/**
 * A broadcast through the whole path, from the request to the last acceptance, against the same requests
 * from memory; and what it takes of memory and of the event loop.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchOptions } from './options.ts'
import { now, type PushBed, post, readProgress, until } from './push-bed.ts'
import { CONTENT } from './push-message.ts'
import type { ProviderCount } from './push-provider.ts'
import { inRounds, ratios, readCpu, takenElsewhere } from './rounds.ts'
import { median } from './statistics.ts'

/** Microseconds per notification. `sender`: who sends from memory. */
export type PushCpu = { service: number; postgres: number; provider: number; sender: number }

export type Sending = { per_second: number; cpu_us: PushCpu; connections: number }

export type Broadcasts = {
  recipients: number
  connections: number
  in_flight: number
  /** The whole path; the sender of the service from memory; a bare client from memory. */
  path: Sending
  sender: Sending
  raw: Sending
  /** Median of the ratios of the rounds, to the bare client. */
  ratio: number
  ratio_each: number[]
  sender_ratio: number
  /** Recipients made per second, while others are sent to. */
  expanded_per_second: number
  /** From the last acceptance until all is written, median. */
  settled_ms: number
  loop: { p99_ms: number; max_ms: number }
  /** Resident memory of the service: when it was ready, and time and again during each broadcast. */
  memory: { ready_mb: number; rounds: number[][] }
  taken_elsewhere: number
}

type Sample = Sending & { taken_elsewhere: number }
type PathSample = Sample & {
  expanded_per_second: number
  settled_ms: number
  lag_p99_ms: number
  lag_max_ms: number
  rss_mb: number[]
}

const SUBJECTS = ['path', 'sender', 'raw'] as const
const LOOK_MS = 50
const SAMPLE_MS = 1000

export async function measureBroadcasts(
  bed: PushBed,
  { rounds }: BenchOptions,
): Promise<Broadcasts> {
  const ready = await bed.service.metrics()
  const paths: PathSample[] = []
  const samples = await inRounds(
    SUBJECTS,
    { rounds, tell: (round) => bed.tell(`${bed.crowd.tokens.length} recipients, ${round}`) },
    async (name): Promise<Sample> => {
      if (name !== 'path') return await sendFromMemory(bed, name)
      const sample = await sendByPath(bed)
      paths.push(sample)
      return sample
    },
  )
  const of = (read: (sample: PathSample) => number) => median(paths.map(read))
  const ratio_each = ratios(samples.path, samples.raw)
  return {
    recipients: bed.crowd.tokens.length,
    connections: bed.connections,
    in_flight: bed.in_flight,
    path: combine(samples.path),
    sender: combine(samples.sender),
    raw: combine(samples.raw),
    ratio: median(ratio_each),
    ratio_each,
    sender_ratio: median(ratios(samples.sender, samples.raw)),
    expanded_per_second: of((sample) => sample.expanded_per_second),
    settled_ms: of((sample) => sample.settled_ms),
    loop: {
      p99_ms: of((sample) => sample.lag_p99_ms),
      max_ms: Math.max(...paths.map((sample) => sample.lag_max_ms)),
    },
    memory: {
      ready_mb: megabytes(ready('process_resident_memory_bytes')),
      rounds: paths.map(({ rss_mb }) => rss_mb),
    },
    taken_elsewhere: takenElsewhere(Object.values(samples).flat()),
  }
}

async function sendByPath(bed: PushBed): Promise<PathSample> {
  const { crowd, provider, service } = bed
  await provider.begin()
  const before = await readCpu(bed)
  const watch = watchService(bed)
  const { message_id, at_ms } = await post(bed, { ...CONTENT, application_id: crowd.id, all: true })
  let expandedAt = 0
  await until('all recipients are settled', LOOK_MS, async () => {
    const { is_expanded, is_complete } = await readProgress(bed, message_id)
    if (is_expanded && expandedAt === 0) expandedAt = now()
    return is_complete
  })
  const settledAt = now()
  const readings = await watch.stop()
  const count = await provider.end()
  const { recipients, accepted } = await readProgress(bed, message_id)
  checkCount(count, crowd.tokens.length)
  if (recipients !== accepted || accepted !== crowd.tokens.length) {
    throw new Error(`${accepted} of ${recipients} recipients are recorded as accepted`)
  }
  const after = await readCpu({ ...bed, service })
  const spent = {
    service: after.service - before.service,
    postgres: after.postgres - before.postgres,
    provider: count.cpu_seconds,
    sender: 0,
  }
  return {
    ...sampleOf({ before, after, spent }, count, (count.last_at_ms - at_ms) / 1000),
    expanded_per_second: (recipients * 1000) / (expandedAt - at_ms),
    settled_ms: settledAt - count.last_at_ms,
    lag_p99_ms: Math.max(...readings.map(({ lag_p99_ms }) => lag_p99_ms)),
    lag_max_ms: Math.max(...readings.map(({ lag_max_ms }) => lag_max_ms)),
    rss_mb: readings.map(({ rss_mb }) => rss_mb),
  }
}

async function sendFromMemory(bed: PushBed, step: 'raw' | 'sender'): Promise<Sample> {
  const { provider, sender, connections, in_flight } = bed
  await provider.begin()
  const before = await readCpu(bed)
  const { sent, per_second, cpu_seconds } = await sender.run({ step, connections, in_flight })
  const count = await provider.end()
  checkCount(count, sent)
  const after = { ...(await readCpu(bed)), service: before.service, postgres: before.postgres }
  const spent = { service: 0, postgres: 0, provider: count.cpu_seconds, sender: cpu_seconds }
  return sampleOf({ before, after, spent }, count, sent / per_second)
}

/** @throws Error when a notification is missing, or came twice */
function checkCount({ accepted, repeated }: ProviderCount, expected: number): void {
  if (accepted !== expected || repeated !== 0) {
    throw new Error(`${accepted} were accepted of ${expected}, ${repeated} of them again`)
  }
}

type Account = {
  before: Awaited<ReturnType<typeof readCpu>>
  after: Awaited<ReturnType<typeof readCpu>>
  /** In seconds of processor time. */
  spent: PushCpu
}

function sampleOf(
  { before, after, spent }: Account,
  count: ProviderCount,
  seconds: number,
): Sample {
  const each = (cpuSeconds: number) => (cpuSeconds * 1e6) / count.accepted
  const ours = Object.values(spent).reduce((sum, one) => sum + one, 0)
  return {
    per_second: count.accepted / seconds,
    connections: count.connections,
    cpu_us: {
      service: each(spent.service),
      postgres: each(spent.postgres),
      provider: each(spent.provider),
      sender: each(spent.sender),
    },
    taken_elsewhere:
      Math.max(0, after.busy - before.busy - ours) / Math.max(0.001, after.total - before.total),
  }
}

type Reading = { rss_mb: number; lag_p99_ms: number; lag_max_ms: number }

/** Reads the metrics of the service time and again, each time of what was since the last. */
function watchService({ service }: PushBed): { stop(): Promise<Reading[]> } {
  const stopped = new AbortController()
  const readings: Reading[] = []
  const read = async () => {
    const metrics = await service.metrics()
    const lagMs = (name: string) => Math.max(0, metrics(name) * 1000 - TIMER_MS)
    readings.push({
      rss_mb: megabytes(metrics('process_resident_memory_bytes')),
      lag_p99_ms: lagMs('nodejs_eventloop_lag_p99_seconds'),
      lag_max_ms: lagMs('nodejs_eventloop_lag_max_seconds'),
    })
  }
  const watching = (async () => {
    await service.metrics()
    while (!stopped.signal.aborted) {
      await sleep(SAMPLE_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
      await read()
    }
  })()
  return {
    stop: async () => {
      stopped.abort()
      await watching
      return readings
    },
  }
}

/** The histogram of Node.js measures from tick to tick of a timer of this interval. */
const TIMER_MS = 10

const megabytes = (bytes: number): number => bytes / 1_048_576

function combine(samples: Sample[]): Sending {
  const of = (read: (sample: Sample) => number) => median(samples.map(read))
  return {
    per_second: of((sample) => sample.per_second),
    connections: of((sample) => sample.connections),
    cpu_us: {
      service: of((sample) => sample.cpu_us.service),
      postgres: of((sample) => sample.cpu_us.postgres),
      provider: of((sample) => sample.cpu_us.provider),
      sender: of((sample) => sample.cpu_us.sender),
    },
  }
}
