/**
 * The embedded PostgreSQL and ClickHouse engines of the tests. PostgreSQL starts with a migrated template
 * database that each run copies, because a copy takes a tenth of the time of the migrations.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createEmbeddedClickHouse,
  type EmbeddedClickHouse,
} from '../../src/platform/clickhouse/embedded/server.ts'
import { createLog } from '../../src/platform/log.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { openDatabase } from '../../src/platform/postgres/db.ts'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/postgres/embedded/server.ts'
import { type Migration, migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { copyDatabase } from './copy-database.ts'
import { type GivenPostgres, givenPostgres } from './given-postgres.ts'
import { BOTH_SCHEMAS, CELL_SCHEMA, DIRECTORY_SCHEMA, splitDirectory } from './split-directory.ts'

export type Engines = {
  /** Its database is the migrated template, which can only be copied without open connections. */
  postgres: PostgresAddress
  clickhouse: Awaited<ReturnType<EmbeddedClickHouse['address']>>
}

/** Name of the migrated template in which the directory is not apart, for tests of several cells and of backups. */
export const wholeTemplate = ({ postgres: { database } }: Engines): string =>
  isSplit() ? `${database}_whole` : database

export type RunningEngines = Engines & { stop(): Promise<void> }

/** Set by `npm run test:cells`. */
export const isSplit = (): boolean => process.env['TEST_CELLS'] === 'schemas'

// Tests assert what is committed, not what survives a power cut; the crash tests run without this.
const POSTGRES_SETTINGS = ['fsync=off', 'max_connections=200', 'max_wal_size=256MB']
const ENGINE_DEADLINE_MS = 120_000
const ENGINE_POLL_MS = 250
const CLICKHOUSE_LIMITS = { memory_mb: 1024, threads: 1 }

export const migrationsOf = (engine: 'postgres' | 'clickhouse'): Migration[] =>
  readMigrations(join(packageRoot(), 'migrations', engine))

/** Changes with every migration and every setting of the engines. */
export function engineFingerprint(): string {
  const migrations = [...migrationsOf('postgres'), ...migrationsOf('clickhouse')]
  const facts = [
    POSTGRES_SETTINGS,
    CLICKHOUSE_LIMITS,
    migrations.map(({ name, checksum }) => [name, checksum]),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/** @param folder an empty folder; the caller removes it after `stop` */
export async function startEngines(folder: string): Promise<RunningEngines> {
  const log = createLog('fatal')
  const analytics = createEmbeddedClickHouse({ data_dir: folder, ...CLICKHOUSE_LIMITS, log })
  // Both start at the same time; a failure is thrown where it is awaited.
  const stopping = new AbortController()
  const address = untilAvailable(analytics, stopping.signal)
  address.catch(() => undefined)
  let server: EmbeddedPostgres | GivenPostgres | undefined
  const stop = async () => {
    stopping.abort()
    server?.release()
    await Promise.all([server?.stopped(), analytics.close()])
  }
  try {
    server = (await givenPostgres()) ?? (await startPostgres(folder))
    const engines = { postgres: server.address, clickhouse: await address }
    await migrateTemplate(server.address)
    if (isSplit()) await splitTemplate(engines)
    return { ...engines, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const startPostgres = async (folder: string): Promise<EmbeddedPostgres> =>
  await startEmbeddedPostgres({
    data_dir: folder,
    progress: () => undefined,
    settings: isSplit() ? [...POSTGRES_SETTINGS, `search_path=${BOTH_SCHEMAS}`] : POSTGRES_SETTINGS,
  })

/** Waits longer than a request of the service would, because a cold or busy machine loads the engine slowly. */
async function untilAvailable(
  analytics: EmbeddedClickHouse,
  signal: AbortSignal,
): ReturnType<EmbeddedClickHouse['address']> {
  const deadline = performance.now() + ENGINE_DEADLINE_MS
  for (;;) {
    try {
      return await analytics.address()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(ENGINE_POLL_MS, undefined, { signal })
    }
  }
}

async function migrateTemplate(server: PostgresAddress): Promise<void> {
  const db = openSchema(server, DIRECTORY_SCHEMA)
  try {
    await migrate(db, migrationsOf('postgres'))
  } finally {
    await db.destroy()
  }
}

async function splitTemplate(engines: Engines): Promise<void> {
  const { postgres } = engines
  await copyDatabase(postgres, wholeTemplate(engines))
  const directory = openSchema(postgres, DIRECTORY_SCHEMA)
  const cell = openSchema(postgres, CELL_SCHEMA)
  try {
    await splitDirectory({ directory, cell }, migrationsOf('postgres'))
  } finally {
    await directory.destroy()
    await cell.destroy()
  }
}

const openSchema = (server: PostgresAddress, schema: string) =>
  openDatabase({ server, pool_size: 2, prepared_statements: true, schema, log: createLog('fatal') })
