/** `vigil secrets rotate`: replaces the master key while the secrets stay readable. */
import { rotateMasterKeyFile } from '../platform/crypto/master-key-rotation.ts'
import { withStores } from './command.ts'
import type { Io, Options, Output } from './io.ts'

export const rotateSecrets = async (io: Io, _options: Options): Promise<Output> =>
  await withStores(io, async ({ config, stores: { directory, data_dir, sealer } }) => {
    const isConfigured = config.master_key !== undefined
    const { rewrapped } = isConfigured
      ? await sealer.rotate()
      : await rotateMasterKeyFile({ db: directory, data_dir })
    const advice = isConfigured
      ? 'Remove the older keys from VIGIL_MASTER_KEY on every node'
      : 'Back up the new master key in the data folder'
    return { json: { rewrapped }, lines: [`${rewrapped} data keys encrypted again`, advice] }
  })
