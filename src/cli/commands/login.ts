/** `vigil login` and `vigil logout`: work with a remote installation. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

const load = () => import('../remote/login.ts')

export function loginCommands(program: Command, io: Io): void {
  setAction(
    program
      .command('login')
      .description('sign in to an installation, for commands that need no database')
      .argument('<url>', 'address of the installation, such as https://vigil.example.com')
      .option('--token-file <file>', 'file with an access token, - for standard input')
      .option('--org <org_id>', 'organization, if the user of the token has several'),
    io,
    async () => (await load()).login,
  )
  setAction(
    program.command('logout').description('end the token of vigil login and forget it'),
    io,
    async () => (await load()).logout,
  )
}
