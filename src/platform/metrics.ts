/** Prometheus metrics, in a separate registry so that one process can hold several instances. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void
  /** @param outcome `known`, or the reason why the answer is unknown */
  countLookup(kind: string, outcome: string): void
  /** Counts an attempt to deliver something to another system. */
  countAttempt(kind: string, outcome: string): void
  /** Gauges that are read on each scrape; those that cannot be read are left out. */
  addGauges<Name extends string>(gauges: GaugeOptions<Name>): void
  render(): Promise<{ content_type: string; text: string }>
  /** All samples, for a process that adds up those of several. */
  snapshot(): Promise<MetricsOfProcess>
}

export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export type GaugeOptions<Name extends string> = {
  label: string
  /** Name to help text. */
  gauges: Readonly<Record<Name, string>>
  /** Gauges of which several processes have one part each. The others are the same in each of them. */
  sums?: readonly string[]
  /** Reads all gauges together, one entry per value of the label. */
  read: () => Promise<readonly { label: string; values: Readonly<Record<Name, number>> }[]>
}

const LATENCY_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const refreshers: (() => Promise<void>)[] = []
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'vigil_http_request_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  })
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['kind', 'outcome'], registers: [registry] })
  const lookups = counter('vigil_lookups_total', 'External look-ups, by kind and outcome')
  const attempts = counter(
    'vigil_delivery_attempts_total',
    'Delivery attempts, by kind and outcome',
  )
  const refresh = async () => {
    await Promise.all(refreshers.map((one) => one()))
  }
  return {
    observeRequest: (method, route, status, seconds) =>
      requests.labels(method, route, String(status)).observe(seconds),
    countLookup: (kind, outcome) => lookups.labels(kind, outcome).inc(),
    countAttempt: (kind, outcome) => attempts.labels(kind, outcome).inc(),
    addGauges: ({ label, gauges, sums = [], read }) => {
      const all = Object.entries<string>(gauges).map(([name, help]) => ({
        name,
        gauge: new Gauge({
          name,
          help,
          labelNames: [label],
          registers: [registry],
          aggregator: sums.includes(name) ? 'sum' : 'max',
        }),
      }))
      refreshers.push(async () => {
        const rows = await read().catch(() => [])
        for (const { name, gauge } of all) {
          gauge.reset()
          for (const { label: text, values } of rows) {
            gauge.labels(text).set(values[name as keyof typeof values])
          }
        }
      })
    },
    render: async () => {
      await refresh()
      return { content_type: registry.contentType, text: await registry.metrics() }
    },
    snapshot: async () => {
      await refresh()
      return await registry.getMetricsAsJSON()
    },
  }
}
