/** `vigil replay`: scores history again, with the current rules or with a draft. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { instant, MODES, oneOf } from '../options.ts'

export function replayCommand(program: Command, io: Io): void {
  setAction(
    program
      .command('replay')
      .description('score stored orders, checks and cashier actions again, and compare')
      .requiredOption('--from <time>', 'compare what arrived at or after this time', instant)
      .requiredOption('--to <time>', 'compare what arrived before this time', instant)
      .option('--org <org_id>', 'only this organization')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the data').default('live'))
      .option('--rules <file>', 'JSON file with the rules that differ from the defaults'),
    io,
    async () => (await import('../replay.ts')).replayOrders,
  )
}
