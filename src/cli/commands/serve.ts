/** `vigil serve`: runs the service until it receives a signal to stop. */
import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { oneOf } from '../options.ts'

const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

export function serveCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('run the service')
    .addOption(oneOf('--role <role>', ROLES, 'role of this process').default('all'))
    .option('--json', 'print one JSON object when ready')
    .action(async (options) => await (await import('../serve.ts')).serve(io, options))
}
