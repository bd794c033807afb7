/** `vigil cell`: the databases, or schemas, that hold organizations. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

const load = () => import('../cells.ts')
const NAME = 'name of the cell'

export function cellCommands(program: Command, io: Io): void {
  const cell = program.command('cell').description('manage the cells that hold organizations')
  setAction(
    cell
      .command('add')
      .description('add a cell, create its tables, and store its connection URL encrypted')
      .argument('<name>', 'lowercase letters, digits and hyphens')
      .option('--url-file <file>', 'file with the postgres:// URL; default: the database of Vigil')
      .option('--schema <schema>', 'schema for the tables, which is created if it does not exist'),
    io,
    async () => (await load()).addCell,
  )
  setAction(
    cell.command('list').description('list the cells with the number of their organizations'),
    io,
    async () => (await load()).showCells,
  )
  setAction(
    cell
      .command('drain')
      .description('place no new organizations in a cell')
      .argument('<name>', NAME)
      .option('--undo', 'place new organizations in it again'),
    io,
    async () => (await load()).drainCell,
  )
  cell
    .command('check')
    .description('test the connection, the tables and writes of each cell')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: true }) => {
      const { checkCells } = await load()
      await checkCells(io, options)
    })
}
