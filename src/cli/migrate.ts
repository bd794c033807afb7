/** `vigil migrate`: applies pending migrations, as the service does when it starts. */
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import type { Analytics } from '../platform/clickhouse/engine.ts'
import { EngineRefusal, EngineUnavailable } from '../platform/clickhouse/errors.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { type Io, type Options, setAction, withStores } from './command.ts'

export function migrateCommand(program: Command, io: Io): void {
  setAction<Options>(
    program.command('migrate').description('apply pending database migrations'),
    io,
    () =>
      withStores(
        io,
        async ({ config, stores: { analytics, migrated } }) => {
          const applied = [...migrated, ...(await migrateEngine(analytics, config))]
          const lines = applied.map((name) => `Applied ${name}`)
          return { json: { applied }, lines: lines.length > 0 ? lines : ['No pending migrations'] }
        },
        { migrates: true },
      ),
  )
}

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
