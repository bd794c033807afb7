/** Prometheus metrics, in a registry of their own so that several instances can live side by side. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void
  /** @param outcome `known` or the reason why it is unknown */
  countLookup(kind: string, outcome: string): void
  /** An attempt to deliver something outside. */
  countAttempt(kind: string, outcome: string): void
  /** A number that is read when somebody asks for the metrics; left out when it cannot be read. */
  addGauge(gauge: GaugeOptions): void
  render(): Promise<{ content_type: string; text: string }>
}

export type GaugeOptions = {
  name: string
  help: string
  label: string
  read: () => Promise<readonly { label: string; value: number }[]>
}

const LATENCY_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'vigil_http_request_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  })
  const lookups = new Counter({
    name: 'vigil_lookups_total',
    help: 'Look-ups outside, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'vigil_delivery_attempts_total',
    help: 'Attempts to deliver outside, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  return {
    observeRequest: (method, route, status, seconds) =>
      requests.labels(method, route, String(status)).observe(seconds),
    countLookup: (kind, outcome) => lookups.labels(kind, outcome).inc(),
    countAttempt: (kind, outcome) => attempts.labels(kind, outcome).inc(),
    addGauge: ({ name, help, label, read }) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: async () => {
          const values = await read().catch(() => [])
          gauge.reset()
          for (const { label: text, value } of values) gauge.labels(text).set(value)
        },
      })
    },
    render: async () => ({ content_type: registry.contentType, text: await registry.metrics() }),
  }
}
