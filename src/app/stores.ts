/** Opens the database, the analytics engine and the keys that seal secrets. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { EmbeddedClickHouse } from '../platform/clickhouse/embedded/server.ts'
import {
  type Analytics,
  type AnalyticsOptions,
  openAnalytics,
} from '../platform/clickhouse/engine.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { type MasterKeys, readMasterKeys } from '../platform/crypto/master-key.ts'
import { createSealer, type Sealer } from '../platform/crypto/sealed.ts'
import { createIds, type NewId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import { packageRoot } from '../platform/package-root.ts'
import {
  adviseLimits,
  type Database,
  type DatabaseOptions,
  findPooling,
  openDatabase,
} from '../platform/postgres/db.ts'
import {
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../platform/postgres/embedded/server.ts'
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
} from '../platform/postgres/migrate.ts'
import type { Pooling } from '../platform/postgres/pooling.ts'
import { serverName, untilReachable } from '../platform/postgres/reachable.ts'
import { createDatabaseWatch, type DatabaseWatch } from '../platform/postgres/watch.ts'
import { type Cell, openCells } from './cells.ts'

export type Stores = {
  /** People, keys, and what organizations share (src/modules/table-places.ts). */
  directory: Database
  /** Everything that belongs to organizations. With one PostgreSQL, the same as the directory. */
  db: Database
  /** Further databases or schemas with the data of organizations, without the main one. */
  cells: readonly Cell[]
  /** Address of the database, for connections outside of the pool. */
  server: DatabaseOptions['server']
  /** Errors and waiting times of the statements of this process. */
  database_watch: DatabaseWatch
  data_dir: string
  masterKeys: MasterKeys
  sealer: Sealer
  clock: Clock
  newId: NewId
  log: Log
  /** Stores logs and RUM events; it starts on first use. */
  analytics: Analytics
  /** Names of the migrations that were applied. */
  migrated: string[]
  close(): Promise<void>
}

export type StoresOptions = {
  config: Config
  log: Log
  data_dir: string
  /** Called with the current step when it takes more than a moment. */
  progress: (step: string) => void
  /** Disables the query timeout, for commands. */
  is_patient?: boolean
  clock?: Clock
  /** Whether to apply pending migrations. By default they are an error. */
  migrates?: boolean
  /** Whether to wait for a server that does not accept connections yet. */
  waits?: boolean
  /** Ends the wait for the server. */
  signal?: AbortSignal
  /** Whether another process keeps the embedded PostgreSQL running. */
  joins?: boolean
  /** The embedded analytics engine, if it is not that of this process. */
  engine?: EmbeddedClickHouse | undefined
  /** Extra settings of the embedded PostgreSQL. */
  postgres_settings?: string[]
}

/** @throws OperatorError for faults that the operator can fix */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { config, log, progress } = options
  const clock = options.clock ?? systemClock
  const newId = createIds()
  const { data_dir } = options
  const database_watch = createDatabaseWatch()
  const { db, server, pooling, close } = await openEngine({ ...options, database_watch })
  const cells: Cell[] = []
  const closeCells = async () => {
    await Promise.all(cells.map(async (cell) => await cell.close()))
  }
  try {
    let migrated: string[] = []
    if (options.migrates === true) {
      const migrating = migrateUnlimited({ ...databaseOptions(config, server, log), pooling })
      migrated = await whenSlow(migrating, () => progress('Migrating the database'))
    } else await requireCurrentVersion(db)
    const masterKeys = openMasterKeys(config.master_key, data_dir)
    const sealer = createSealer({ db, masterKeys, newId, clock })
    const opening = openCells({
      config,
      directory: db,
      server,
      sealer,
      log,
      migrations: shippedMigrations('postgres'),
      migrates: options.migrates === true || options.joins === true,
      ...(options.is_patient === true && { query_timeout_ms: 0 }),
    })
    cells.push(...(await whenSlow(opening, () => progress('Waiting for cells'))))
    const analytics = openAnalyticsOf(config, { data_dir, log, progress, engine: options.engine })
    return {
      masterKeys,
      sealer,
      directory: db,
      db,
      cells,
      server,
      database_watch,
      data_dir,
      clock,
      newId,
      log,
      analytics,
      migrated,
      close: async () => {
        await analytics.close()
        await closeCells()
        await close()
      },
    }
  } catch (error) {
    await closeCells()
    await close()
    throw error
  }
}

export type Engine = {
  db: Database
  server: DatabaseOptions['server']
  pooling: Pooling
  close(): Promise<void>
}

/**
 * Opens the database without migrating it or creating a master key.
 * @throws OperatorError for faults that the operator can fix
 */
export async function openEngine(
  options: Omit<StoresOptions, 'clock'> & { database_watch?: DatabaseWatch },
): Promise<Engine> {
  const { config, data_dir, log } = options
  createDataDir(data_dir)
  const isEmbedded = config.database_url === undefined
  const embedded = isEmbedded ? await openEmbedded(options) : undefined
  const server = config.database_url ?? embedded?.address ?? ''
  const pooling = embedded
    ? 'session'
    : await reachDatabase(databaseOptions(config, server, log), options)
  const db = openDatabase({
    ...databaseOptions(config, server, log),
    pooling,
    ...(options.is_patient === true && { query_timeout_ms: 0 }),
    ...(options.database_watch && { watch: options.database_watch }),
  })
  const close = async () => {
    await db.destroy()
    embedded?.release()
    await embedded?.stopped()
  }
  try {
    if (pooling === 'transaction' && options.waits === true) await adviseLimits(db, log)
    return { db, server, pooling, close }
  } catch (error) {
    await close()
    throw error
  }
}

const openEmbedded = async ({
  data_dir,
  progress,
  joins,
  postgres_settings: settings = [],
}: StoresOptions): Promise<EmbeddedPostgres> =>
  joins === true
    ? joinEmbeddedPostgres({ data_dir, progress })
    : await startEmbeddedPostgres({ data_dir, progress, settings })

export const openAnalyticsOf = (
  config: Config,
  rest: Pick<AnalyticsOptions, 'data_dir' | 'log' | 'progress' | 'engine'>,
): Analytics =>
  openAnalytics({
    ...rest,
    clickhouse_url: config.clickhouse_url,
    cluster: config.clickhouse_cluster,
    insert_quorum: config.clickhouse_insert_quorum,
    migrations: shippedMigrations('clickhouse'),
    retention_days: config.edge_retention_days,
    memory_mb: config.clickhouse_memory_mb,
    threads: config.clickhouse_threads,
    query_timeout_ms: config.clickhouse_query_timeout_ms,
  })

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

/** @throws OperatorError when the database is empty, older or newer than this program */
async function requireCurrentVersion(db: Database): Promise<void> {
  const migrations = shippedMigrations('postgres')
  const { length: pending } = await pendingMigrations(db, migrations)
  if (pending === 0) return
  const state =
    pending === migrations.length
      ? 'The database is empty'
      : `The database is older than this version of Vigil (pending migrations: ${pending})`
  throw new OperatorError(`${state}. Run \`vigil migrate\`, or start the service, and try again.`)
}

/** Uses separate connections without a statement timeout; an online migration needs two. */
async function migrateUnlimited(options: DatabaseOptions): Promise<string[]> {
  const db = openDatabase({ ...options, pool_size: 2, query_timeout_ms: 0 })
  try {
    return await migrate(db, shippedMigrations('postgres'))
  } finally {
    await db.destroy()
  }
}

function createDataDir(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new OperatorError(
      `The data directory ${folder} cannot be used: ${reasonOf(cause)}. Set VIGIL_DATA_DIR to a folder that this account can write to.`,
      { cause },
    )
  }
}

/** Waits for the server, and finds out whether a pooler is in front of it. */
async function reachDatabase(
  database: DatabaseOptions,
  { config, log, progress, waits, signal }: Omit<StoresOptions, 'clock'>,
): Promise<Pooling> {
  const wait_seconds = waits === true ? config.postgres_wait_seconds : 0
  try {
    const reached = untilReachable(async () => await findPooling(database), {
      wait_seconds,
      server: serverName(config.database_url ?? ''),
      log,
      signal,
    })
    return await whenSlow(reached, () => progress('Waiting for the database of DATABASE_URL'))
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(
      `The database of DATABASE_URL cannot be used: ${reasonOf(cause)}. Check the address, that the server is running, and that it accepts this account.`,
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
