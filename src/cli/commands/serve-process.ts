/** The hidden command of the processes that `vigil serve` starts. */
import type { Command } from 'commander'
import type { Io } from '../io.ts'

export const SERVE_PROCESS = 'serve-process'

export function serveProcessCommand(program: Command, io: Io): void {
  program
    .command(SERVE_PROCESS, { hidden: true })
    .description('one of several processes of the service')
    .action(async () => await (await import('../serve-process.ts')).serveProcess(io))
}
