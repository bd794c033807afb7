/** `vigil secrets rotate`: replaces the master key while the secrets stay readable. */
import type { Command } from 'commander'
import { rotateMasterKeyFile } from '../platform/crypto/master-key-rotation.ts'
import { type Io, type Options, setAction, withStores } from './command.ts'

const ROTATE =
  'encrypt all data keys with a new master key, or with the first key of VIGIL_MASTER_KEY if it is set'

export function secretCommands(program: Command, io: Io): void {
  const secrets = program.command('secrets').description('manage the encryption of secrets')
  setAction<Options>(secrets.command('rotate').description(ROTATE), io, () =>
    withStores(io, async ({ config, stores: { db, data_dir, sealer } }) => {
      const isConfigured = config.master_key !== undefined
      const { rewrapped } = isConfigured
        ? await sealer.rotate()
        : await rotateMasterKeyFile({ db, data_dir })
      const advice = isConfigured
        ? 'Remove the older keys from VIGIL_MASTER_KEY on every node'
        : 'Back up the new master key in the data folder'
      return { json: { rewrapped }, lines: [`${rewrapped} data keys encrypted again`, advice] }
    }),
  )
}
