/**
 * `npm run bench -- webhooks`: how fast events become deliveries against the same requests sent from
 * memory, how soon they arrive, and what endpoints that hang or a long past cost.
 */
import type { Cleanup } from './cleanup.ts'
import type { BenchOptions } from './options.ts'
import { machineName } from './rounds.ts'
import { historyOf } from './webhook-history-report.ts'
import { prepareWebhooks } from './webhooks-bed.ts'
import { measureHistory } from './webhooks-history.ts'
import { measureIdle } from './webhooks-idle.ts'
import { measureIsolation } from './webhooks-isolation.ts'
import type { WebhooksReport } from './webhooks-report.ts'
import { measureThroughput } from './webhooks-throughput.ts'

export async function benchWebhooks(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<WebhooksReport> {
  const bed = await prepareWebhooks(options, cleanup, tell)
  const throughput = await measureThroughput(bed, options)
  const idle = await measureIdle(bed, options)
  // To all healthy endpoints, as the last of them is measured with.
  const peak = throughput.at(-1)?.deliveries.per_second ?? 0
  const isolation = await measureIsolation(bed, options, peak)
  const history =
    options.history > 0 ? historyOf(await measureHistory(bed, options, cleanup)) : undefined
  return { machine: machineName(), seconds: options.seconds, throughput, idle, isolation, history }
}
