/** `vigil migrate`: applies pending migrations, as the service does when it starts. */
import { type Command, Option } from 'commander'
import { type Io, setAction } from '../io.ts'

export function migrateCommand(program: Command, io: Io): void {
  setAction(
    program
      .command('migrate')
      .description('apply pending database migrations')
      .addOption(new Option('--status', 'list all migrations and apply none').conflicts('dryRun'))
      .option('--dry-run', 'print the SQL of the pending migrations and apply none'),
    io,
    async () => (await import('../migrate.ts')).migrateOrReport,
  )
}
