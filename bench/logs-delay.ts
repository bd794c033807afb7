/** How long it takes until an entry can be read, at half of what the whole service takes in. */
import type { Cleanup } from './cleanup.ts'
import { DELAY_INTERVAL_MS } from './endurance.ts'
import { type LogsBed, signIn, untilArrived } from './logs-bed.ts'
import type { ProbeJob, ProbeResult } from './logs-prober.ts'
import { LOG_BATCHES } from './logs-requests.ts'
import type { BenchOptions } from './options.ts'
import { type Latency, summarise } from './statistics.ts'
import { startWorker } from './worker.ts'

export type VisibleDelay = Latency & {
  /** Entries that were asked for, and came. */
  asked_per_second: number
  per_second: number
  probes: number
  event_loop_delay_p99_ms: number
}

const KIND = 'logs_500'
const CLIENTS = 64
const SECONDS = 20
const SECONDS_QUICK = 6
/** The load begins before the first probe and ends after the last. */
const MARGIN_SECONDS = 1

/** @param batchesPerSecond half load */
export async function measureDelay(
  bed: LogsBed,
  options: BenchOptions,
  batchesPerSecond: number,
  cleanup: Cleanup,
): Promise<VisibleDelay> {
  const { entries } = LOG_BATCHES[KIND]
  bed.tell(`from sending to reading, at ${Math.round(batchesPerSecond * entries)} entries/s`)
  const prober = startWorker<ProbeJob, ProbeResult>('logs-prober')
  cleanup.add(prober.stop)
  const token = await signIn(bed)
  const { port, key, org_id, metrics } = bed.service
  await untilArrived(bed)
  const seconds = options.is_quick ? SECONDS_QUICK : SECONDS
  // Reading the metrics starts their histogram of delays anew.
  await metrics()
  const [load, { delays_ms }] = await Promise.all([
    bed.load({
      kind: KIND,
      clients: CLIENTS,
      per_second: batchesPerSecond,
      warm_seconds: MARGIN_SECONDS,
      seconds: seconds + MARGIN_SECONDS,
    }),
    new Promise((resolve) => setTimeout(resolve, MARGIN_SECONDS * 1000)).then(
      async () => await prober.run({ port, key, token, org_id, seconds }),
    ),
  ])
  const delaySeconds = (await metrics())('nodejs_eventloop_lag_p99_seconds')
  await prober.stop()
  return {
    ...summarise(delays_ms),
    asked_per_second: batchesPerSecond * entries,
    per_second: load.per_second * entries,
    probes: delays_ms.length,
    event_loop_delay_p99_ms: Math.max(0, delaySeconds * 1000 - DELAY_INTERVAL_MS),
  }
}
