/**
 * Deliveries per second through the whole path, against the same requests from memory. All end at
 * the same sink, on as many connections to as many hosts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkSignature } from '../emulators/receiver-signature.ts'
import { signedHeaders } from '../src/modules/webhooks/signature.ts'
import { WARM_SECONDS } from './bed.ts'
import { cpuSecondsSince } from './loop.ts'
import type { BenchOptions } from './options.ts'
import { type Cpu, inRounds, ratios, readCpu, takenElsewhere } from './rounds.ts'
import { median } from './statistics.ts'
import type { SenderJob } from './webhook-sender.ts'
import type { SinkCount } from './webhook-sink.ts'
import {
  commitEvents,
  newEvents,
  type Target,
  until,
  untilDelivered,
  type WebhooksBed,
} from './webhooks-bed.ts'

/** Microseconds per delivery. `sender`: who commits the events, or sends from memory. */
export type DeliveryCpu = { service: number; postgres: number; receiver: number; sender: number }

export type Delivering = {
  per_second: number
  cpu_us: DeliveryCpu
  /** Connections that had to be opened, per thousand deliveries. */
  connections: number
}

type DeliverySample = Delivering & { taken_elsewhere: number }

export type Throughput = {
  endpoints: number
  /** What is sent at a time at most. */
  in_flight: number
  deliveries: Delivering
  memory: Delivering
  /** Median of the ratios of the rounds. */
  ratio: number
  ratio_each: number[]
  /** Share of the machine's processors that other programs had meanwhile, 0 to 1. */
  taken_elsewhere: number
}

/** Few with much to do, and many with little. `in_flight`: what the service allows itself, or less. */
const SHAPES = [
  { endpoints: 16, connections_each: 8 },
  { endpoints: 200, connections_each: 1 },
]
/** Events that are committed together. */
const BATCH_MIN = 64
/** So many are always waiting to be delivered. */
const BACKLOG = 2048
const READY_REQUESTS_EACH = 100
const SUBJECTS = ['deliveries', 'memory'] as const

export async function measureThroughput(
  bed: WebhooksBed,
  options: BenchOptions,
): Promise<Throughput[]> {
  const rows: Throughput[] = []
  for (const shape of SHAPES) rows.push(await measureShape(bed, options, shape))
  return rows
}

async function measureShape(
  bed: WebhooksBed,
  options: BenchOptions,
  { endpoints, connections_each }: (typeof SHAPES)[number],
): Promise<Throughput> {
  const targets = bed.healthy.slice(0, endpoints)
  const job = senderJob(bed, targets, { seconds: options.seconds, connections_each })
  bed.tell(`warming up with ${endpoints} endpoints`)
  await measureOnce(bed, targets, 'deliveries', job)
  const samples = await inRounds(
    SUBJECTS,
    { rounds: options.rounds, tell: (round) => bed.tell(`${endpoints} endpoints, ${round}`) },
    (name) => measureOnce(bed, targets, name, job),
  )
  const ratio_each = ratios(samples.deliveries, samples.memory)
  return {
    endpoints,
    in_flight: endpoints * connections_each,
    deliveries: combine(samples.deliveries),
    memory: combine(samples.memory),
    ratio: median(ratio_each),
    ratio_each,
    taken_elsewhere: takenElsewhere(Object.values(samples).flat()),
  }
}

function senderJob(
  bed: WebhooksBed,
  targets: Target[],
  { seconds, connections_each }: Pick<SenderJob, 'seconds' | 'connections_each'>,
): SenderJob {
  const readyFor = (target: Target) =>
    newEvents(bed, Array<Target>(READY_REQUESTS_EACH).fill(target)).map((event) => {
      const { id, type, occurred_at, data } = event
      const body = JSON.stringify({ id, type, timestamp: occurred_at.toISOString(), data })
      const signed = { secret: target.secret, body, event_id: id, event_type: type }
      return { headers: signedHeaders({ ...signed, now: occurred_at }), body }
    })
  return {
    seconds,
    warm_seconds: WARM_SECONDS,
    ca: bed.ca,
    connections_each,
    targets: targets.map((target) => {
      const { origin, pathname } = new URL(target.url)
      return { origin, path: pathname, requests: readyFor(target) }
    }),
  }
}

async function measureOnce(
  bed: WebhooksBed,
  targets: Target[],
  name: (typeof SUBJECTS)[number],
  job: SenderJob,
): Promise<DeliverySample> {
  await bed.sink.begin(job)
  const before = await readCpu(bed)
  if (name === 'memory') {
    const { cpu_seconds } = await bed.sender.run(job)
    const count = await bed.sink.end()
    checkSigned(count, targets)
    const after = { ...(await readCpu(bed)), service: before.service, postgres: before.postgres }
    return sampleOf(before, after, cpu_seconds, count)
  }
  const cpu = process.cpuUsage()
  const ids = await feed(bed, targets, job.warm_seconds + job.seconds)
  await until('all events have arrived', async () => (await bed.sink.arrived()) >= ids.length)
  await untilDelivered(bed, targets)
  const count = await bed.sink.end()
  checkArrivals(ids, count)
  checkSigned(count, targets)
  return sampleOf(before, await readCpu(bed), cpuSecondsSince(cpu), count)
}

/** Commits events so that there is always something to do. @returns their ids */
async function feed(bed: WebhooksBed, targets: Target[], seconds: number): Promise<string[]> {
  const times = Math.ceil(BATCH_MIN / targets.length)
  const batch = Array.from({ length: times }, () => targets).flat()
  const ids: string[] = []
  const endAt = performance.now() + seconds * 1000
  while (performance.now() < endAt) {
    if (ids.length - (await bed.sink.arrived()) >= BACKLOG) await sleep(2)
    else ids.push(...(await commitEvents(bed, batch)))
  }
  return ids
}

/** @throws Error when an event is missing, or anything else has come */
function checkArrivals(ids: string[], { arrivals }: SinkCount): void {
  const arrived = new Set(arrivals.map(([delivery]) => delivery))
  const missing = ids.filter((id) => !arrived.has(id)).length
  if (missing > 0 || arrivals.length !== ids.length) {
    throw new Error(`${missing} of ${ids.length} events missing among ${arrivals.length} arrivals`)
  }
}

/** @throws Error when what came first does not verify */
function checkSigned({ first }: SinkCount, targets: Target[]): void {
  const signature = checkSignature({
    header: /\r\nx-service-signature: (\S+)/i.exec(first.head)?.[1],
    body: Buffer.from(first.body, 'latin1'),
    secrets: targets.map(({ secret }) => secret),
    tolerance_s: 300,
    now: new Date(),
  })
  if (signature !== 'valid') throw new Error(`a signature is ${signature}`)
}

function sampleOf(before: Cpu, after: Cpu, sender: number, count: SinkCount): DeliverySample {
  const spent = {
    service: after.service - before.service,
    postgres: after.postgres - before.postgres,
    receiver: count.cpu_seconds,
    sender,
  }
  const each = (cpuSeconds: number) => (cpuSeconds * 1e6) / count.arrivals.length
  const ours = Object.values(spent).reduce((sum, one) => sum + one, 0)
  return {
    per_second: count.per_second,
    connections: (count.connections * 1000) / count.arrivals.length,
    cpu_us: {
      service: each(spent.service),
      postgres: each(spent.postgres),
      receiver: each(spent.receiver),
      sender: each(spent.sender),
    },
    taken_elsewhere:
      Math.max(0, after.busy - before.busy - ours) / Math.max(0.001, after.total - before.total),
  }
}

function combine(samples: DeliverySample[]): Delivering {
  const of = (read: (sample: DeliverySample) => number) => median(samples.map(read))
  return {
    per_second: of((sample) => sample.per_second),
    connections: of((sample) => sample.connections),
    cpu_us: {
      service: of((sample) => sample.cpu_us.service),
      postgres: of((sample) => sample.cpu_us.postgres),
      receiver: of((sample) => sample.cpu_us.receiver),
      sender: of((sample) => sample.cpu_us.sender),
    },
  }
}
