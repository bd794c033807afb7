/** `vigil check explain`: the reasons for the score of a check. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

export function checkCommands(program: Command, io: Io): void {
  const check = program.command('check').description('inspect checks')
  setAction(
    check
      .command('explain')
      .description('show the signals of a check with their evidence, weight and share of the score')
      .argument('<check_id>'),
    io,
    async () => (await import('../checks.ts')).explainCheck,
  )
}
