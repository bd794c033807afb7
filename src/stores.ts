/** What everything stands on: the database, migrated, and the keys that seal its secrets. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { chooseDataDir } from './data-dir.ts'
import {
  type Analytics,
  type AnalyticsOptions,
  openAnalytics,
} from './platform/clickhouse/engine.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { type MasterKeys, readMasterKeys } from './platform/crypto/master-key.ts'
import { createSealer, type Sealer } from './platform/crypto/sealed.ts'
import { createIds, type NewId } from './platform/ids.ts'
import type { Log } from './platform/log.ts'
import { OperatorError, reasonOf } from './platform/operator-error.ts'
import { packageRoot } from './platform/package-root.ts'
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  pingDatabase,
} from './platform/postgres/db.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './platform/postgres/embedded/server.ts'
import { type Migration, migrate, readMigrations } from './platform/postgres/migrate.ts'

export type Stores = {
  db: Database
  data_dir: string
  masterKeys: MasterKeys
  sealer: Sealer
  clock: Clock
  newId: NewId
  log: Log
  /** Logs and events; nothing is started before it is used. */
  analytics: Analytics
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
  /** For commands, which somebody waits for: queries are not cut off on this side. */
  is_patient?: boolean
  clock?: Clock
}

/** @throws OperatorError for what the operator can mend */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { config, log, progress } = options
  const clock = options.clock ?? systemClock
  const newId = createIds()
  const { db, data_dir, server, close } = await openEngine(options)
  try {
    const migrated = await whenSlow(migrateApart(databaseOptions(config, server, log)), () =>
      progress('Bringing the database to this version'),
    )
    const masterKeys = openMasterKeys(config.master_key, data_dir)
    const sealer = createSealer({ db, masterKeys, newId, clock })
    const analytics = openAnalyticsOf(config, { data_dir, log, progress })
    return {
      db,
      data_dir,
      masterKeys,
      sealer,
      clock,
      newId,
      log,
      analytics,
      migrated,
      close: async () => {
        await analytics.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export type Engine = {
  db: Database
  data_dir: string
  server: DatabaseOptions['server']
  close(): Promise<void>
}

/**
 * The database as it is found: nothing is migrated and no key is made.
 * @throws OperatorError for what the operator can mend
 */
export async function openEngine(options: Omit<StoresOptions, 'clock'>): Promise<Engine> {
  const { config, log, progress } = options
  const data_dir = chooseDataDir(config.data_dir, options.working_folder)
  makeDataDir(data_dir)
  const embedded = await startEmbeddedIfNeeded(config, data_dir, progress)
  const server = config.database_url ?? embedded?.address ?? ''
  const db = openDatabase({
    ...databaseOptions(config, server, log),
    ...(options.is_patient === true && { query_timeout_ms: 0 }),
  })
  const close = async () => {
    await db.destroy()
    embedded?.release()
    await embedded?.stopped()
  }
  try {
    if (!embedded) await reachDatabase(db, progress)
    return { db, data_dir, server, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The analytics engine that the settings name; nothing is started yet. */
export const openAnalyticsOf = (
  config: Config,
  rest: Pick<AnalyticsOptions, 'data_dir' | 'log' | 'progress'>,
): Analytics =>
  openAnalytics({
    ...rest,
    clickhouse_url: config.clickhouse_url,
    cluster: config.clickhouse_cluster,
    migrations: shippedMigrations('clickhouse'),
    retention_days: config.edge_retention_days,
    memory_mb: config.clickhouse_memory_mb,
    threads: config.clickhouse_threads,
    query_timeout_ms: config.clickhouse_query_timeout_ms,
  })

/** The migrations that this version comes with. */
export const shippedMigrations = (engine: 'postgres' | 'clickhouse'): Migration[] =>
  readMigrations(join(packageRoot(), 'migrations', engine))

const databaseOptions = (
  config: Config,
  server: DatabaseOptions['server'],
  log: Log,
): DatabaseOptions => ({
  server,
  pool_size: config.postgres_pool_size,
  prepared_statements: config.postgres_prepared_statements,
  log,
})

/** On a connection of its own, on which no statement is given up for being slow. */
async function migrateApart(options: DatabaseOptions): Promise<string[]> {
  const db = openDatabase({ ...options, pool_size: 1, query_timeout_ms: 0 })
  try {
    return await migrate(db, shippedMigrations('postgres'))
  } finally {
    await db.destroy()
  }
}

function makeDataDir(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new OperatorError(
      `The data directory ${folder} cannot be used: ${reasonOf(cause)}. Set VIGIL_DATA_DIR to a folder that this account may write to.`,
      { cause },
    )
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

async function reachDatabase(db: Database, progress: (step: string) => void): Promise<void> {
  try {
    await whenSlow(pingDatabase(db), () => progress('Waiting for the database of DATABASE_URL'))
  } catch (cause) {
    throw new OperatorError(
      `The database of DATABASE_URL cannot be used: ${reasonOf(cause)}. Check the address, and that the server runs and lets this account in.`,
      { cause },
    )
  }
}

function openMasterKeys(configured: string | undefined, dataDir: string): MasterKeys {
  try {
    return readMasterKeys({ configured, data_dir: dataDir })
  } catch (cause) {
    throw new OperatorError(reasonOf(cause), { cause })
  }
}

const SLOW_MS = 1000

async function whenSlow<T>(work: Promise<T>, announce: () => void): Promise<T> {
  const timer = setTimeout(announce, SLOW_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
