/** `vigil doctor`: finds faults of an installation and says how to fix each. */
import type { Command } from 'commander'
import type { Io, Options } from '../io.ts'

export function doctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('check configuration, engines, clock and disk, and suggest a fix for each fault')
    .option('--json', 'print one JSON object')
    .action(async (options: Options) => await (await import('../doctor.ts')).runDoctor(io, options))
}
