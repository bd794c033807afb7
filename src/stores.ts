/** What everything stands on: the database, migrated, and the keys that seal its secrets. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { chooseDataDir } from './data-dir.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { type MasterKeys, readMasterKeys } from './platform/crypto/master-key.ts'
import { createSealer, type Sealer } from './platform/crypto/sealed.ts'
import { createIds, type NewId } from './platform/ids.ts'
import type { Log } from './platform/log.ts'
import { packageRoot } from './platform/package-root.ts'
import { type Database, openDatabase } from './platform/postgres/db.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './platform/postgres/embedded/server.ts'
import { migrate, readMigrations } from './platform/postgres/migrate.ts'

export type Stores = {
  db: Database
  data_dir: string
  masterKeys: MasterKeys
  sealer: Sealer
  clock: Clock
  newId: NewId
  log: Log
  /** Names of the migrations that were applied by this opening. */
  migrated: string[]
  close(): Promise<void>
}

export type StoresOptions = {
  config: Config
  log: Log
  working_folder: string
  /** Told what is being done when it takes more than a moment. */
  progress: (step: string) => void
  clock?: Clock
}

export async function openStores(options: StoresOptions): Promise<Stores> {
  const { config, log } = options
  const clock = options.clock ?? systemClock
  const newId = createIds()
  const data_dir = chooseDataDir(config.data_dir, options.working_folder)
  mkdirSync(data_dir, { recursive: true, mode: 0o700 })
  const embedded = await startEmbeddedIfNeeded(config, data_dir, options.progress)
  const db = openDatabase({
    server: config.database_url ?? embedded?.address ?? '',
    pool_size: config.postgres_pool_size,
    prepared_statements: config.postgres_prepared_statements,
    log,
  })
  const close = async () => {
    await db.destroy()
    embedded?.release()
  }
  try {
    const migrations = readMigrations(join(packageRoot(), 'migrations', 'postgres'))
    const migrated = await migrate(db, migrations)
    const masterKeys = readMasterKeys({ configured: config.master_key, data_dir })
    const sealer = createSealer({ db, masterKeys, newId, clock })
    return { db, data_dir, masterKeys, sealer, clock, newId, log, migrated, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startEmbeddedIfNeeded(
  config: Config,
  dataDir: string,
  progress: (step: string) => void,
): Promise<EmbeddedPostgres | undefined> {
  if (config.database_url !== undefined) return undefined
  return await startEmbeddedPostgres({ data_dir: dataDir, progress })
}
