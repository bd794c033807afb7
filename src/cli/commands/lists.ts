/** `vigil list`: shows and changes the allow, block and watch lists of an organization. */
import { Argument, type Command } from 'commander'
import { LIST_KINDS, LISTS } from '../../modules/lists/tables.ts'
import { type Io, setAction } from '../io.ts'
import { count, instant, MODES, oneOf } from '../options.ts'

const LISTED_DEFAULT = 50

const load = () => import('../lists.ts')

export function listCommands(program: Command, io: Io): void {
  const list = program.command('list').description('manage allow, block and watch lists')
  setAction(
    withOwnerOptions(list.command('show').description('show the entries, newest first'))
      .addOption(oneOf('--list <list>', LISTS, 'only entries of this list'))
      .addOption(oneOf('--kind <kind>', LIST_KINDS, 'only entries of this kind'))
      .option('--value <value>', 'only the entries about this value')
      .option('--limit <count>', 'maximum number of entries', count, LISTED_DEFAULT),
    io,
    async () => (await load()).showList,
  )
  setAction(
    withOwnerOptions(list.command('add').description('put a value on a list'))
      .addArgument(new Argument('<list>', 'the list').choices(LISTS).argRequired())
      .addArgument(new Argument('<kind>', 'what the value is').choices(LIST_KINDS).argRequired())
      .argument('<value>', 'the value')
      .option('--reason <text>', 'shown with every score that the entry changes')
      .option('--expires <time>', 'date or time from which the entry has no effect', instant),
    io,
    async () => (await load()).addToList,
  )
  setAction(
    withOwnerOptions(list.command('remove').description('remove an entry')).argument(
      '<id>',
      'id of the entry',
    ),
    io,
    async () => (await load()).removeFromList,
  )
  setAction(
    withOwnerOptions(list.command('export').description('print all entries as CSV')),
    io,
    async () => (await load()).exportLists,
  )
  setAction(
    withOwnerOptions(list.command('import').description('add the entries of a CSV file')).argument(
      '<file>',
      'CSV file with the columns list, kind and value; - for standard input',
    ),
    io,
    async () => (await load()).importLists,
  )
}

const withOwnerOptions = (command: Command): Command =>
  command
    .requiredOption('--org <org_id>', 'id of the organization')
    .addOption(oneOf('--mode <mode>', MODES, 'mode of the lists').default('live'))
