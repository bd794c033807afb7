/** `vigil serve`: runs the service until it receives a signal to stop. */
import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { oneOf } from '../options.ts'
import type { ServeOptions } from '../serve-steps.ts'

const ROLES: readonly ServeOptions['role'][] = ['all', 'api', 'worker']

export function serveCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('run the service')
    .addOption(oneOf('--role <role>', ROLES, 'role of this process').default('all'))
    .option('--json', 'print one JSON object when ready')
    .action(async (options: ServeOptions) => await (await import('../serve.ts')).serve(io, options))
}
