/**
 * Replaces the master key in the data folder. Stopped at any step, nothing is lost: the file holds
 * the old key until no data key needs it, and running it again completes the work.
 */
import type { Database } from '../postgres/db.ts'
import { addMasterKey, dropMasterKeys, readMasterKeys } from './master-key.ts'
import { rewrapDataKeys } from './sealed.ts'
import { listDataKeys, lockDataKeys } from './store.ts'

/**
 * For master keys in the data folder. A configured key is rotated by its owner instead: the new key
 * goes in front of the setting on every node, `sealer.rotate()` runs, the old key is taken out.
 *
 * @returns how many data keys are now wrapped by the new master key
 */
export async function rotateMasterKeyFile(options: {
  db: Database
  data_dir: string
}): Promise<{ rewrapped: number }> {
  const { db, data_dir } = options
  const masterKeys = readMasterKeys({ data_dir })
  const rewrapped = await db.transaction().execute(async (tx) => {
    await lockDataKeys(tx)
    addMasterKey(data_dir)
    return await rewrapDataKeys(tx, masterKeys)
  })
  await dropUnusedMasterKeys(db, data_dir)
  return { rewrapped }
}

/** Only after the commit: until then the old wrapping is the one that counts. */
async function dropUnusedMasterKeys(db: Database, dataDir: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockDataKeys(tx)
    const rows = await listDataKeys(tx)
    dropMasterKeys(dataDir, new Set(rows.map((row) => row.master_key_id)))
  })
}
