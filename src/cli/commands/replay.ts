/** `vigil replay`: scores stored orders again, with the current rules or with a draft. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { instant, MODES, oneOf } from '../options.ts'

export function replayCommand(program: Command, io: Io): void {
  setAction(
    program
      .command('replay')
      .description('score stored orders again, with the active rules or a draft, and compare')
      .requiredOption('--from <time>', 'compare orders that arrived at or after this time', instant)
      .requiredOption('--to <time>', 'compare orders that arrived before this time', instant)
      .option('--org <org_id>', 'only orders of this organization')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the orders').default('live'))
      .option('--rules <file>', 'JSON file with the rules that differ from the defaults'),
    io,
    async () => (await import('../replay.ts')).replayOrders,
  )
}
