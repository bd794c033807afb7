/**
 * What endpoints that hang cost the others: latency of the healthy ones at a steady load, with
 * nothing for the hanging ones, and with as much for each of them as for every other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { uuidArray } from '../src/platform/postgres/arrays.ts'
import type { BenchOptions } from './options.ts'
import { inRounds } from './rounds.ts'
import { type Latency, median } from './statistics.ts'
import { latencyOf } from './webhook-latency.ts'
import {
  commitEvents,
  commitTimes,
  deadlineMs,
  type Target,
  untilDelivered,
  type WebhooksBed,
} from './webhooks-bed.ts'

export type IsolationRun = Latency & { per_second: number }

export type Isolation = {
  healthy: number
  hanging: number
  deadline_ms: number
  seconds: number
  /** To the healthy ones, as asked for. */
  per_second: number
  alone: IsolationRun
  beside_hanging: IsolationRun
  /** Of the 99th percentiles, median of the ratios of the rounds. */
  p99_ratio: number
  p99_ratio_each: number[]
}

/** What nobody has to wait for. */
const SHARE_OF_PEAK = 0.25
/** A run sees the hanging ones time out, and what becomes of their second attempts. */
const DEADLINES_PER_RUN = 3
const WARM_MS = 1000
const TICK_MS = 5
const SUBJECTS = ['alone', 'beside_hanging'] as const

export async function measureIsolation(
  bed: WebhooksBed,
  options: BenchOptions,
  peakPerSecond: number,
): Promise<Isolation> {
  const per_second = peakPerSecond * SHARE_OF_PEAK
  const deadline_ms = deadlineMs(options)
  const seconds = (deadline_ms * DEADLINES_PER_RUN) / 1000
  const runs = await inRounds(
    SUBJECTS,
    { rounds: options.rounds, tell: (round) => bed.tell(`isolation, ${round}`) },
    async (name) => {
      const hanging = name === 'alone' ? [] : bed.hanging
      const run = await measureOnce(bed, { hanging, per_second, seconds })
      if (hanging.length > 0) await forget(bed, deadline_ms)
      return run
    },
  )
  const p99_ratio_each = runs.beside_hanging.map(
    ({ p99_ms }, round) => p99_ms / (runs.alone[round]?.p99_ms ?? Number.NaN),
  )
  return {
    healthy: bed.healthy.length,
    hanging: bed.hanging.length,
    deadline_ms,
    seconds,
    per_second,
    alone: combine(runs.alone),
    beside_hanging: combine(runs.beside_hanging),
    p99_ratio: median(p99_ratio_each),
    p99_ratio_each,
  }
}

type Load = { hanging: Target[]; per_second: number; seconds: number }

async function measureOnce(bed: WebhooksBed, load: Load): Promise<IsolationRun> {
  const { healthy } = bed
  const { hanging, per_second, seconds } = load
  await bed.sink.begin({ warm_seconds: WARM_MS / 1000, seconds })
  await commitSteadily(bed, healthy, { per_second, ms: WARM_MS })
  const all = [...healthy, ...hanging]
  const ids = await commitSteadily(bed, all, {
    per_second: (per_second * all.length) / healthy.length,
    ms: seconds * 1000,
  })
  await untilDelivered(bed, healthy)
  const count = await bed.sink.end()
  const isHanging = new Set(hanging)
  const toHealthy = ids.filter(([, target]) => !isHanging.has(target)).map(([id]) => id)
  const latency = latencyOf(await commitTimes(bed, toHealthy), count.arrivals)
  return { ...latency, per_second: count.per_second }
}

/** At random moments of this mean rate, those that are due at the same time together. */
async function commitSteadily(
  bed: WebhooksBed,
  targets: Target[],
  { per_second, ms }: { per_second: number; ms: number },
): Promise<[id: string, target: Target][]> {
  const committed: [string, Target][] = []
  const begun = performance.now()
  let next = begun
  for (let now = begun; now < begun + ms; now = performance.now()) {
    const due: Target[] = []
    for (; next <= now; next += (-Math.log(1 - Math.random()) * 1000) / per_second) {
      const target = targets[Math.floor(Math.random() * targets.length)]
      if (target) due.push(target)
    }
    if (due.length > 0) {
      const ids = await commitEvents(bed, due)
      for (const [index, target] of due.entries()) committed.push([ids[index] ?? '', target])
    }
    await sleep(TICK_MS)
  }
  return committed
}

/** As if the hanging ones had never hung, for the next run. */
async function forget({ stores: { db }, hanging }: WebhooksBed, deadline_ms: number) {
  const ids = uuidArray(hanging.map(({ id }) => id))
  await sql`delete from webhook_deliveries where endpoint_id = any (${ids}::uuid[])`.execute(db)
  // What is under way ends, and says once more that they fail.
  await sleep(deadline_ms + 500)
  await sql`
    update webhook_endpoints set failing_since = null where id = any (${ids}::uuid[])`.execute(db)
}

function combine(runs: IsolationRun[]): IsolationRun {
  const of = (read: (run: IsolationRun) => number) => median(runs.map(read))
  return {
    per_second: of((run) => run.per_second),
    p50_ms: of((run) => run.p50_ms),
    p99_ms: of((run) => run.p99_ms),
    max_ms: of((run) => run.max_ms),
  }
}
