/** Askers that ask again as soon as they are answered, and what every load tells of itself. */
import { type Latency, summarise } from './statistics.ts'

export type LoopJob = {
  /** What is done before this counts nowhere. */
  warm_seconds: number
  seconds: number
}

export type LoadResult = Latency & {
  requests: number
  per_second: number
  /** Those before the counted time included. */
  answered: number
  /** Processor time that the process of the load itself took. */
  cpu_seconds: number
}

/** @param askers one per client; each is called again once it has resolved */
export async function runClosedLoop(
  { warm_seconds, seconds }: LoopJob,
  askers: (() => Promise<unknown>)[],
): Promise<LoadResult> {
  const latencies: number[] = []
  let answered = 0
  const cpu = process.cpuUsage()
  const countFrom = performance.now() + warm_seconds * 1000
  const endAt = countFrom + seconds * 1000
  const askInTurn = async (ask: () => Promise<unknown>) => {
    while (performance.now() < endAt) {
      const started = performance.now()
      await ask()
      answered += 1
      const now = performance.now()
      if (now >= countFrom && now < endAt) latencies.push(now - started)
    }
  }
  await Promise.all(askers.map(askInTurn))
  return {
    ...summarise(latencies),
    requests: latencies.length,
    per_second: latencies.length / seconds,
    answered,
    cpu_seconds: cpuSecondsSince(cpu),
  }
}

/** @param before as `process.cpuUsage()` told it */
export function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
