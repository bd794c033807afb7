import { expect, vi } from 'vitest'
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

/** Waits until the organization has this many logs in the analytics engine. @returns them, oldest first */
export async function flushedLogs(harness: Harness, org_id: string, count: number) {
  const read = async () => {
    const rows = await harness.stores.analytics.clickhouse.query<Record<string, unknown>>(
      'select * from edge_logs where org_id = {org_id:UUID} order by id',
      { org_id },
    )
    expect(rows).toHaveLength(count)
    return rows
  }
  return await whileFlushing(
    harness,
    async () => await vi.waitFor(read, { timeout: 15_000, interval: 100 }),
  )
}
