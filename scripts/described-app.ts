/**
 * The application with default settings for programs that only describe its routes. Routes are never
 * called, so only the parts that compile their schemas are real.
 */
import { createHttp, createParts, openCore } from '../src/app/index.ts'
import { createRetentionLag } from '../src/app/retention.ts'
import type { Stores } from '../src/app/stores.ts'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { App } from '../src/platform/http/app.ts'
import { createIds } from '../src/platform/ids.ts'
import { createLog } from '../src/platform/log.ts'
import type { Metrics } from '../src/platform/metrics.ts'
import { createDatabaseWatch } from '../src/platform/postgres/watch.ts'

// Returns itself for every property and every call.
const nothing: unknown = new Proxy(() => undefined, {
  get: (_, name): unknown => {
    if (name === Symbol.toPrimitive) return () => ''
    return name === 'then' ? undefined : nothing
  },
  apply: () => nothing,
})
const STORES = {
  directory: nothing,
  db: nothing,
  cells: [],
  data_dir: '',
  masterKeys: nothing,
  sealer: { open: () => Promise.resolve(Buffer.alloc(32)) },
  clock: systemClock,
  newId: createIds(),
  log: createLog('silent'),
  analytics: nothing,
  database_watch: createDatabaseWatch(),
  migrated: [],
  close: () => Promise.resolve(),
} as unknown as Stores

/** @param read must be done with the application when it returns, because the application is then closed */
export async function withDescribedApp<T>(read: (app: App) => T): Promise<T> {
  const core = await openCore(STORES, readConfig({}))
  const { app } = await createHttp(core, await createParts(core))
  try {
    return read(app)
  } finally {
    await app.close()
  }
}

/** Reads the metrics of a process that serves requests and runs jobs. */
export async function withDescribedMetrics<T>(read: (metrics: Metrics) => T): Promise<T> {
  const core = await openCore(STORES, readConfig({}))
  await createParts(core)
  core.metrics.addGauges(createRetentionLag([], systemClock).gauges)
  return read(core.metrics)
}
