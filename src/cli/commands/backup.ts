/** `vigil backup` and `vigil restore`: encrypted copies of an installation, taken while it runs. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { count } from '../options.ts'

const load = () => import('../backup.ts')
const WHICH = 'id of a backup, or `latest`'

export function backupCommands(program: Command, io: Io): void {
  const backup = program.command('backup').description('take and manage backups')
  setAction(
    withStore(
      backup
        .command('create', { isDefault: true })
        .description('take a backup of the databases while the service runs'),
    ),
    io,
    async () => (await load()).createBackupNow,
  )
  setAction(
    withStore(backup.command('list').description('list the backups in the store')),
    io,
    async () => (await load()).listAllBackups,
  )
  setAction(
    withStore(
      backup
        .command('verify')
        .description('restore a backup on temporary embedded servers and compare every table')
        .argument('[backup]', WHICH, 'latest'),
    ),
    io,
    async () => (await load()).verifyOneBackup,
  )
  setAction(
    withStore(
      backup
        .command('prune')
        .description('delete old backups, but not the newest three')
        .option('--keep-days <days>', 'age from which backups are deleted', count),
    ),
    io,
    async () => (await load()).pruneOldBackups,
  )
  setAction(
    withStore(
      program
        .command('restore')
        .description('restore a backup while the service is stopped')
        .argument('[backup]', WHICH, 'latest')
        .option('--overwrite', 'replace the data that is there')
        .option('--no-logs', 'leave out logs and RUM events')
        .option('--yes', 'do not prompt for confirmation'),
    ),
    io,
    async () => (await load()).restore,
  )
}

const withStore = (command: Command): Command =>
  command.option('--store <place>', 'a folder or s3://BUCKET/PREFIX, instead of VIGIL_BACKUP_TO')
