/**
 * Replaces the master key in the data folder. An interruption at any step loses nothing: the file
 * holds the old key until no data key needs it, and another run completes the rotation.
 */
import type { Database } from '../postgres/db.ts'
import { addMasterKey, dropMasterKeys, readMasterKeys } from './master-key.ts'
import { rewrapDataKeys } from './sealed.ts'
import { listDataKeys, lockDataKeys } from './store.ts'

/**
 * Only for master keys in the data folder. To rotate a configured key, the operator puts the new
 * key first in the setting on every node, runs `sealer.rotate()` and then removes the old key.
 * @returns the number of data keys that were rewrapped by the new master key
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

/** Must run after the commit: until then, the stored data keys need the old master key. */
async function dropUnusedMasterKeys(db: Database, dataDir: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockDataKeys(tx)
    const rows = await listDataKeys(tx)
    dropMasterKeys(dataDir, new Set(rows.map((row) => row.master_key_id)))
  })
}
