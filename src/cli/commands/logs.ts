/** `vigil logs`: searches the logs of edge devices, follows them, or copies them to another engine. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import type { TailOptions } from '../logs-tail.ts'
import { count, instant, MODES, oneOf } from '../options.ts'

const LISTED_DEFAULT = 50
const AFTER_DASHES = '\nA query that begins with a minus follows two dashes: -- "-test"'

export function logsCommands(program: Command, io: Io): void {
  const logs = program.command('logs').description('search and follow logs of edge devices')
  setAction(
    withOwner(logs.command('query').description('search stored logs, newest first'))
      .addHelpText('after', AFTER_DASHES)
      .argument(
        '[query]',
        'query, such as \'level:error "card reader" time:1h\' (default: all logs)',
      )
      .option('--from <time>', 'only logs that happened at or after this time', instant)
      .option('--to <time>', 'only logs that happened at or before this time', instant)
      .option('--limit <count>', 'maximum number of logs', count, LISTED_DEFAULT),
    io,
    async () => (await import('../logs-query.ts')).queryLogs,
  )
  setAction(
    logs
      .command('copy')
      .description('copy logs and RUM events of another analytics engine to that of CLICKHOUSE_URL')
      .option(
        '--from-file <file>',
        'file with the URL of a ClickHouse server, - for standard input (default: the embedded engine)',
      ),
    io,
    async () => (await import('../logs-copy.ts')).copyLogs,
  )
  withOwner(logs.command('tail').description('print logs while they are received, until Ctrl-C'))
    .argument('[query]', 'query that the logs must match (default: all logs)')
    .addHelpText('after', AFTER_DASHES)
    .option('--limit <count>', 'stop after this many logs', count)
    .option('--json', 'print one JSON object per log')
    .action(async (query: string | undefined, options: TailOptions) =>
      (await import('../logs-tail.ts')).tailLogs(io, options, query),
    )
}

const withOwner = (command: Command): Command =>
  command
    .option(
      '--org <org_id>',
      'id of the organization that the logs belong to (default: that of vigil login)',
    )
    .addOption(oneOf('--mode <mode>', MODES, 'mode of the logs').default('live'))
