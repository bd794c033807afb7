/** `vigil migrate`: brings the databases to this version; the service does the same when it starts. */
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import type { Analytics } from '../platform/clickhouse/engine.ts'
import { EngineAway, EngineRefusal } from '../platform/clickhouse/errors.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { answering, type Io, type Options, withStores } from './command.ts'

export function migrateCommand(program: Command, io: Io): void {
  answering<Options>(
    program.command('migrate').description('bring the database to this version'),
    io,
    () =>
      withStores(io, async ({ config, stores: { analytics, migrated } }) => {
        const applied = [...migrated, ...(await migrateEngine(analytics, config))]
        const lines = applied.map((name) => `Applied ${name}`)
        return { json: { applied }, lines: lines.length > 0 ? lines : ['Nothing to do'] }
      }),
  )
}

/** The embedded engine is brought to this version when it is started. */
async function migrateEngine(analytics: Analytics, { clickhouse_url }: Config): Promise<string[]> {
  if (clickhouse_url === undefined) return []
  try {
    return await analytics.ready()
  } catch (cause) {
    if (!(cause instanceof EngineAway || cause instanceof EngineRefusal)) throw cause
    throw new OperatorError(
      `The ClickHouse of CLICKHOUSE_URL cannot be used: ${cause.message}. Check the address, and that the server runs and lets this account in.`,
      { cause },
    )
  }
}
