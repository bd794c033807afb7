/** `vigil mdm`: the connection of device management to a Google Cloud project. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

const load = () => import('../mdm.ts')

export function mdmCommands(program: Command, io: Io): void {
  const mdm = program
    .command('mdm')
    .description('manage the connection of device management to Google')
  setAction(
    mdm
      .command('connect')
      .description('connect a Google Cloud project with the key of a service account')
      .requiredOption('--key <file>', 'JSON key file, as downloaded from Google Cloud')
      .option('--forget-trial', 'delete enterprises of other projects and their devices'),
    io,
    async () => (await load()).connectProject,
  )
  setAction(
    mdm.command('status').description('show the connection, pending requests and pauses'),
    io,
    async () => (await load()).showStatus,
  )
  setAction(
    mdm.command('disconnect').description('delete the key and stop sending requests to Google'),
    io,
    async () => (await load()).disconnectProject,
  )
}
