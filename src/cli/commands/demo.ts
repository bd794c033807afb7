/** `vigil demo`: a service filled with one simulated month of a supermarket chain. */
import type { Command } from 'commander'
import type { DemoOptions } from '../demo.ts'
import type { Io } from '../io.ts'
import { count, oneOf, port, share } from '../options.ts'

/** Differs from the default of VIGIL_PORT, so that the demo runs next to a service. */
const PORT = 8090
const DAYS = 30
const LARGE =
  'large has half a year with a million orders, in about 25 minutes and 19 GB; --scale applies to it as well'

export function demoCommand(program: Command, io: Io): void {
  program
    .command('demo')
    .description('start a service filled with a simulated month of a supermarket chain')
    .option('--data-dir <folder>', 'folder of the demo (default: the data directory with -demo)')
    .option('--port <port>', 'port to listen on, 0 picks a free one', port, PORT)
    .option('--seed <number>', 'another seed simulates another month', count, 1)
    .option('--days <number>', 'number of days to simulate', count, DAYS)
    .option('--scale <share>', 'share of the full volume to simulate', share, 1)
    .addOption(oneOf('--size <size>', ['standard', 'large'], LARGE).default('standard'))
    .option('--reset', 'delete the contents of the folder and fill it again')
    .option('--fill-only', 'fill the folder and exit')
    .option('--json', 'print one JSON object when ready')
    .action(async (options: DemoOptions) => await (await import('../demo.ts')).runDemo(io, options))
}
