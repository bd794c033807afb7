/** The statistics that the benchmarks print. */

export type Latency = { p50_ms: number; p99_ms: number }

export function latencyOf(latenciesMs: number[]): Latency {
  const sorted = Float64Array.from(latenciesMs).sort()
  return { p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99) }
}

/** @returns the middle value, or the mean of the two in the middle; NaN for an empty list */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** Uses the nearest rank and never interpolates, so that every printed latency was measured. */
const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
