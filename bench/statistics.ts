/** The few statistics that the benchmarks print. Pure. */

export type Latency = { p50_ms: number; p99_ms: number; max_ms: number }

export function summarise(latenciesMs: number[]): Latency {
  const sorted = Float64Array.from(latenciesMs).sort()
  return {
    p50_ms: quantile(sorted, 0.5),
    p99_ms: quantile(sorted, 0.99),
    max_ms: quantile(sorted, 1),
  }
}

export type QueryLatency = { p50_ms: number; p95_ms: number; max_ms: number }

/** Of a few dozen: further out than the 95th percentile they say nothing. */
export function summariseQueries(latenciesMs: number[]): QueryLatency {
  const sorted = Float64Array.from(latenciesMs).sort()
  return {
    p50_ms: quantile(sorted, 0.5),
    p95_ms: quantile(sorted, 0.95),
    max_ms: quantile(sorted, 1),
  }
}

/** The middle one, or the mean of the two in the middle; NaN of nothing. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** Nearest rank, never an interpolation: what is printed was measured. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
