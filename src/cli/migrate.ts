/** `vigil migrate`: brings the database to this version; the service does the same when it starts. */
import type { Command } from 'commander'
import { answering, type Io, type Options, withStores } from './command.ts'

export function migrateCommand(program: Command, io: Io): void {
  answering<Options>(
    program.command('migrate').description('bring the database to this version'),
    io,
    () =>
      withStores(io, ({ stores: { migrated } }) =>
        Promise.resolve({
          json: { applied: migrated },
          lines:
            migrated.length > 0 ? migrated.map((name) => `Applied ${name}`) : ['Nothing to do'],
        }),
      ),
  )
}
