/** From commit to receipt. Pure: what was committed and what arrived are held against each other. */
import { type Latency, summarise } from './statistics.ts'
import type { Arrival } from './webhook-sink.ts'

/**
 * Of the first arrival of each event.
 * @param committed milliseconds since 1970, by event id; other arrivals are passed over
 * @throws Error when an event has not arrived
 */
export function latencyOf(
  committed: ReadonlyMap<string, number>,
  arrivals: readonly Arrival[],
): Latency & { count: number } {
  const first = new Map<string, number>()
  for (const [delivery, at] of arrivals) if (!first.has(delivery)) first.set(delivery, at)
  const latencies: number[] = []
  for (const [id, at] of committed) {
    const arrivedAt = first.get(id)
    if (arrivedAt === undefined) throw new Error(`the event ${id} has not arrived`)
    latencies.push(arrivedAt - at)
  }
  return { ...summarise(latencies), count: latencies.length }
}
