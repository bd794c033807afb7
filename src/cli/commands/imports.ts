/** `vigil import`: records of the past, from files. */
import type { Command } from 'commander'
import type { ImportedKind } from '../import/kinds.ts'
import { type Io, setAction } from '../io.ts'
import { MODES, oneOf } from '../options.ts'

const FORMATS = ['csv', 'ndjson'] as const

const KINDS: Record<ImportedKind, string> = {
  orders: 'score past orders, at their own times and without credits, reviews and webhooks',
  profiles: 'add what was known about profiles at past times',
  'cashier-actions': 'score past cashier actions, at their own times',
  outcomes: 'report what orders turned out to be, such as chargebacks',
}

export function importCommands(program: Command, io: Io): void {
  const group = program.command('import').description('start with a history, or add outcomes')
  for (const kind of Object.keys(KINDS) as ImportedKind[]) {
    setAction(
      group
        .command(kind)
        .description(KINDS[kind])
        .argument('<file>', 'CSV or NDJSON file; - for standard input')
        .requiredOption('--org <org_id>', 'id of the organization')
        .addOption(oneOf('--mode <mode>', MODES, 'mode of the data').default('live'))
        .addOption(oneOf('--format <format>', FORMATS, 'default: csv for *.csv, otherwise ndjson'))
        .option('--mapping <file>', 'JSON file that maps the columns of a CSV file')
        .option('--refused <file>', 'file for refused lines, with the reasons'),
      io,
      async () => (await import('../imports.ts')).importFile(kind),
    )
  }
}
