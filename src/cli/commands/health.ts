/** `vigil health`: the health check of a container. */
import type { Command } from 'commander'
import type { Io } from '../io.ts'

export function healthCommand(program: Command, io: Io): void {
  program
    .command('health')
    .description(
      'end with 0 if the service of this host and data directory responds, for containers',
    )
    .action(async () => await (await import('../health.ts')).checkHealth(io))
}
