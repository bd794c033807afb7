/** `vigil export config` and `vigil apply`: the configuration of an organization as files. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { withExportOptions } from '../options.ts'

export function configurationCommands(program: Command, io: Io): void {
  const exports = program.command('export').description('write data of an organization as files')
  setAction(
    withExportOptions(
      exports
        .command('data', { isDefault: true })
        .description('write all data of an organization into a folder, a file per table'),
    ),
    io,
    async () => (await import('../organization-data.ts')).exportOrganization,
  )
  setAction(
    withSession(
      exports.command('config').description('write the configuration of an organization'),
    ).option('--to <file>', 'a file; standard output without it'),
    io,
    async () => (await import('../configuration/export.ts')).exportConfig,
  )
  setAction(
    withSession(
      program
        .command('apply')
        .description('make an organization what configuration files say')
        .argument('<path>', 'a YAML file, or a folder of YAML files'),
    )
      .option('--dry-run', 'only show what would change')
      .option('--prune', 'delete what earlier files have set and no file has now')
      .option('--overwrite', 'replace what was changed in the console')
      .option('--revision <text>', 'commit or version of the files, for the audit log')
      .option('--secrets <file>', 'a new file for keys, signing secrets and invitations')
      .option('--yes', 'do not ask before something changes'),
    io,
    async () => (await import('../configuration/apply.ts')).applyConfig,
  )
}

const withSession = (command: Command): Command =>
  command
    .option('--org <org_id>', 'id of the organization (default: that of vigil login)')
    .option('--url <url>', 'address of the service (default: that of vigil login, or this machine)')
    .option(
      '--token-file <file>',
      'file with an access token, - for standard input; on the machine of the service, an owner without it',
    )
