/** `vigil migrate`: applies pending migrations, as the service does when it starts. */
import type { Config } from '../config.ts'
import type { Analytics } from '../platform/clickhouse/engine.ts'
import { EngineRefusal, EngineUnavailable } from '../platform/clickhouse/errors.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { withStores } from './command.ts'
import type { Io, Options, Output } from './io.ts'

export const applyMigrations = async (io: Io, _options: Options): Promise<Output> =>
  await withStores(
    io,
    async ({ config, stores: { analytics, migrated } }) => {
      const applied = [...migrated, ...(await migrateEngine(analytics, config))]
      const lines = applied.map((name) => `Applied ${name}`)
      return { json: { applied }, lines: lines.length > 0 ? lines : ['No pending migrations'] }
    },
    { migrates: true },
  )

/** The embedded engine applies its migrations when it starts. */
async function migrateEngine(analytics: Analytics, { clickhouse_url }: Config): Promise<string[]> {
  if (clickhouse_url === undefined) return []
  try {
    return await analytics.ready()
  } catch (cause) {
    if (!(cause instanceof EngineUnavailable || cause instanceof EngineRefusal)) throw cause
    const problem = `Cannot use the ClickHouse server at CLICKHOUSE_URL: ${cause.message}. Check the address, and that the server is running and accepts this account.`
    throw new OperatorError(problem, { cause })
  }
}
