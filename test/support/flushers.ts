import type { Harness } from '../harness.ts'

const DRAIN_MS = 5000

/** Does something while the spools are flushed to the analytics engine. */
export async function whileFlushing<T>({ services }: Harness, work: () => Promise<T>): Promise<T> {
  const { flushers } = services.telemetry
  for (const flusher of flushers) flusher.start()
  try {
    return await work()
  } finally {
    await Promise.all(flushers.map(async (flusher) => await flusher.stop(DRAIN_MS)))
  }
}
