/** `vigil secrets rotate`: replaces the master key while the secrets stay readable. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

const ROTATE =
  'encrypt all data keys with a new master key, or with the first key of VIGIL_MASTER_KEY if it is set'

export function secretCommands(program: Command, io: Io): void {
  const secrets = program.command('secrets').description('manage the encryption of secrets')
  setAction(
    secrets.command('rotate').description(ROTATE),
    io,
    async () => (await import('../secrets.ts')).rotateSecrets,
  )
}
