/** `vigil migrate`: applies pending migrations, as the service does when it starts. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

export function migrateCommand(program: Command, io: Io): void {
  setAction(
    program.command('migrate').description('apply pending database migrations'),
    io,
    async () => (await import('../migrate.ts')).applyMigrations,
  )
}
