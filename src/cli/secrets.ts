/** `vigil secrets rotate`: replaces the master key; sealed secrets stay readable throughout. */
import type { Command } from 'commander'
import { rotateMasterKeyFile } from '../platform/crypto/master-key-rotation.ts'
import { answering, type Io, type Options, withStores } from './command.ts'

export function secretCommands(program: Command, io: Io): void {
  const secrets = program.command('secrets').description('secrets at rest')
  answering<Options>(
    secrets
      .command('rotate')
      .description(
        'wrap all data keys by a new master key (with VIGIL_MASTER_KEY: by the first key given there)',
      ),
    io,
    () =>
      withStores(io, async ({ config, stores: { db, data_dir, sealer } }) => {
        const isConfigured = config.master_key !== undefined
        const { rewrapped } = isConfigured
          ? await sealer.rotate()
          : await rotateMasterKeyFile({ db, data_dir })
        const advice = isConfigured
          ? 'Take the older keys out of VIGIL_MASTER_KEY on every node now'
          : 'Back up the new master key of the data folder'
        return { json: { rewrapped }, lines: [`${rewrapped} data keys rewrapped`, advice] }
      }),
  )
}
