/**
 * The metrics of all processes as those of one service: counters and histograms are added up, also
 * those of processes that have ended, because a sum that falls looks like a restart of the service.
 */
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { MetricsOfProcess } from '../metrics.ts'
import type { Child } from './child.ts'

export type MergedMetrics = {
  /** Called for every process when it starts. */
  watch(child: Child): void
  render(): Promise<{ content_type: string; text: string }>
}

type Sample = MetricsOfProcess[number]

const CUMULATIVE: readonly string[] = ['counter', 'histogram']

/** @param own reads the metrics of the supervisor */
export function createMergedMetrics(options: {
  own: () => Promise<MetricsOfProcess>
  children: () => Iterable<Child>
}): MergedMetrics {
  const last = new Map<Child, MetricsOfProcess>()
  let ended: Promise<MetricsOfProcess> = Promise.resolve([])
  const read = async (child: Child): Promise<void> => {
    // A process that does not answer is shown as it was, so that no sum falls.
    const answer = await child.channel.ask('metrics').catch(() => undefined)
    if (answer !== undefined && last.has(child)) last.set(child, answer as MetricsOfProcess)
  }
  return {
    watch: (child) => {
      last.set(child, [])
      child.channel.on('last metrics', (metrics) => {
        last.set(child, metrics as MetricsOfProcess)
      })
      void child.ended.then(() => {
        const rest = (last.get(child) ?? []).filter(({ type }) => CUMULATIVE.includes(String(type)))
        last.delete(child)
        // One after the other, because several processes can end together.
        ended = ended.then(async (sum) => await merge([sum, rest]).getMetricsAsJSON())
      })
    },
    render: async () => {
      await Promise.all([...options.children()].map(read))
      const registry = merge([await options.own(), await ended, ...last.values()])
      return { content_type: registry.contentType, text: await registry.metrics() }
    },
  }
}

const merge = (all: MetricsOfProcess[]): Registry =>
  AggregatorRegistry.aggregate(all.map((metrics) => metrics.map(prepare))) as Registry

/** Without values that were not measured yet, because a message cannot carry NaN. */
const prepare = (metric: Sample): Sample => ({
  ...metric,
  aggregator: aggregatorOf(metric),
  values: metric.values.filter(({ value }) => Number.isFinite(value)),
})

/** Reports the slowest event loop of all processes, and the start time of the supervisor, which is the first. */
function aggregatorOf({ name, aggregator }: Sample): Sample['aggregator'] {
  if (name === 'process_start_time_seconds') return 'first'
  return name.startsWith('nodejs_eventloop_lag') && aggregator === 'average' ? 'max' : aggregator
}
