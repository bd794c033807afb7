/** Prometheus metrics, in a separate registry so that one process can hold several instances. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observeRequest(method: string, route: string, status: number, seconds: number): void
  /** @param outcome `known`, or the reason why the answer is unknown */
  countLookup(kind: string, outcome: string): void
  /** Counts an attempt to deliver something to another system. */
  countAttempt(kind: string, outcome: string): void
  /** Counts a request that exceeded the rate limit of this name. */
  countRefusal(limit: string): void
  /** Shows the outcomes of a recurring job as 0 until it has run. */
  announceJob(job: string): void
  countJob(job: string, run: { outcome: 'succeeded' | 'failed'; seconds: number; at: Date }): void
  /** Gauges that are read on each scrape; those that cannot be read are left out. */
  addGauges<Name extends string>(gauges: GaugeOptions<Name>): void
  /** All metrics, whether or not they have values. */
  describe(): MetricDescription[]
  render(): Promise<{ content_type: string; text: string }>
  /** All samples, for a process that adds up those of several. */
  snapshot(): Promise<MetricsOfProcess>
}

export type MetricDescription = { name: string; type: string; labels: string[]; help: string }

export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

type Sample = ReturnType<Registry['getMetricsAsArray']>[number]

type GaugeRow<Name extends string> = {
  label?: string
  cell?: string
  values: Readonly<Record<Name, number>>
}

export type GaugeOptions<Name extends string> = {
  /** Gauges without a label have one value. */
  label?: string
  /** Name to help text. */
  gauges: Readonly<Record<Name, string>>
  /** Gauges of which several processes have one part each. The others are the same in each of them. */
  sums?: readonly string[]
  /** Those that count from the start of this process on, and are shown as counters. */
  counters?: readonly string[]
  /** Whether `cell` is a label, too. */
  is_by_cell?: boolean
  /** Reads all gauges together, one entry per value of the labels. */
  read: () => Promise<readonly GaugeRow<Name>[]>
}

const LATENCY_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

/** Prometheus waits ten seconds by default, and does without all metrics then. */
const READ_TIMEOUT_MS = 5000

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
  const counter = (name: string, help: string, labelNames = ['kind', 'outcome']) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const lookups = counter('vigil_lookups_total', 'External look-ups, by kind and outcome')
  const attempts = counter(
    'vigil_delivery_attempts_total',
    'Delivery attempts, by kind and outcome',
  )
  const refusals = counter(
    'vigil_rate_limit_refusals_total',
    'Requests that exceeded a rate limit, by the name of the limit',
    ['limit'],
  )
  const refresh = async () => {
    await Promise.all(refreshers.map((one) => one()))
  }
  return {
    ...createJobMetrics(registry),
    observeRequest: (method, route, status, seconds) =>
      requests.labels(method, route, String(status)).observe(seconds),
    countLookup: (kind, outcome) => lookups.labels(kind, outcome).inc(),
    countAttempt: (kind, outcome) => attempts.labels(kind, outcome).inc(),
    countRefusal: (limit) => refusals.labels(limit).inc(),
    addGauges: (options) => refreshers.push(refresherOf(registry, options)),
    describe: () => registry.getMetricsAsArray().map(descriptionOf),
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

/** The types of prom-client lack the names of the labels. */
function descriptionOf(metric: Sample): MetricDescription {
  const { labelNames } = metric as unknown as { labelNames: readonly string[] }
  return {
    name: metric.name,
    type: String(metric.type),
    labels: [...labelNames],
    help: metric.help,
  }
}

function createJobMetrics(registry: Registry): Pick<Metrics, 'announceJob' | 'countJob'> {
  const registers = [registry]
  const runs = new Counter({
    name: 'vigil_job_runs_total',
    help: 'Runs of recurring jobs, by outcome',
    labelNames: ['name', 'outcome'],
    registers,
  })
  const seconds = new Counter({
    name: 'vigil_job_seconds_total',
    help: 'Time that recurring jobs ran',
    labelNames: ['name'],
    registers,
  })
  const succeeded = new Gauge({
    name: 'vigil_job_last_success_timestamp_seconds',
    help: 'Time at which a recurring job last succeeded',
    labelNames: ['name'],
    registers,
    aggregator: 'max',
  })
  return {
    announceJob: (job) => {
      for (const outcome of ['succeeded', 'failed']) runs.labels(job, outcome).inc(0)
    },
    countJob: (job, run) => {
      runs.labels(job, run.outcome).inc()
      seconds.labels(job).inc(run.seconds)
      if (run.outcome === 'succeeded') succeeded.labels(job).set(run.at.getTime() / 1000)
    },
  }
}

/** Registers the gauges. @returns a function that reads their current values */
function refresherOf<Name extends string>(
  registry: Registry,
  { label, gauges, sums = [], counters = [], is_by_cell = false, read }: GaugeOptions<Name>,
): () => Promise<void> {
  const all = Object.entries<string>(gauges).map(([name, help]) => {
    const labelNames = [...(label === undefined ? [] : [label]), ...(is_by_cell ? ['cell'] : [])]
    const common = { name, help, labelNames, registers: [registry] }
    const aggregator = sums.includes(name) ? ('sum' as const) : ('max' as const)
    const metric = counters.includes(name)
      ? new Counter(common)
      : new Gauge({ ...common, aggregator })
    return { name, metric }
  })
  return async () => {
    const rows = await withinLimit(read).catch(() => [])
    for (const { name, metric } of all) {
      metric.reset()
      // A counter or gauge without labels returns to 0, which would be shown as its value.
      if (rows.length === 0 && label === undefined && !is_by_cell) metric.remove()
      for (const { label: text, cell, values } of rows) {
        const value = values[name as keyof typeof values]
        const labels = {
          ...(label !== undefined && text !== undefined && { [label]: text }),
          ...(cell !== undefined && { cell }),
        }
        metric.inc(labels, value)
      }
    }
  }
}

/** @throws Error when it takes longer */
export async function withinLimit<T>(
  read: () => Promise<T>,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, timeoutMs, new Error('a gauge could not be read in time'))
  })
  try {
    return await Promise.race([read(), late])
  } finally {
    clearTimeout(timer)
  }
}
