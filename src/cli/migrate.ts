/** `vigil migrate`: brings the databases to this version; the service does the same when it starts. */
import type { Command } from 'commander'
import { answering, type Io, type Options, withStores } from './command.ts'

export function migrateCommand(program: Command, io: Io): void {
  answering<Options>(
    program.command('migrate').description('bring the database to this version'),
    io,
    () =>
      withStores(io, async ({ config, stores: { analytics, migrated } }) => {
        // The embedded engine is brought to this version when it is started.
        const more = config.clickhouse_url === undefined ? [] : await analytics.ready()
        const applied = [...migrated, ...more]
        const lines = applied.map((name) => `Applied ${name}`)
        return { json: { applied }, lines: lines.length > 0 ? lines : ['Nothing to do'] }
      }),
  )
}
