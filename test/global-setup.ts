/**
 * One embedded PostgreSQL and one embedded analytics engine for the whole run, migrated; test files
 * share them by organisation.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type ClickHouseAddress, createClickHouse } from '../src/platform/clickhouse/client.ts'
import {
  createEmbeddedClickHouse,
  type EmbeddedClickHouse,
} from '../src/platform/clickhouse/embedded/server.ts'
import { ensureDatabase, migrateAnalytics } from '../src/platform/clickhouse/migrate.ts'
import { createLog } from '../src/platform/log.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import {
  type EmbeddedPostgres,
  type PostgresAddress,
  startEmbeddedPostgres,
} from '../src/platform/postgres/embedded/server.ts'
import { migrate, readMigrations } from '../src/platform/postgres/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: PostgresAddress
    /** With a database of this run, in which the tables are. */
    clickhouse: ClickHouseAddress
  }
}

const migrationsOf = (engine: string) => readMigrations(join(packageRoot(), 'migrations', engine))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-test-'))
  const log = createLog('fatal')
  const analytics = createEmbeddedClickHouse({ data_dir: folder, memory_mb: 1024, threads: 2, log })
  const server = await startEmbeddedPostgres({
    data_dir: folder,
    progress: () => undefined,
    // Tests ask what is committed, not what survives a power cut; the crash tests run without this.
    settings: ['fsync=off', 'max_connections=200'],
  })
  await migratePostgres(server)
  project.provide('postgres', server.address)
  project.provide('clickhouse', await migrateClickHouse(analytics))
  return async () => {
    server.release()
    await server.stopped()
    await analytics.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function migratePostgres(server: EmbeddedPostgres): Promise<void> {
  const db = openDatabase({
    server: server.address,
    pool_size: 2,
    prepared_statements: true,
    log: createLog('fatal'),
  })
  await migrate(db, migrationsOf('postgres'))
  await db.destroy()
}

async function migrateClickHouse(engine: EmbeddedClickHouse): Promise<ClickHouseAddress> {
  const address = { ...(await engine.address()), database: 'vigil_test' }
  const handle = (database: string) =>
    createClickHouse({
      address: () => Promise.resolve({ ...address, database }),
      timeout_ms: 15_000,
      log: createLog('fatal'),
    })
  const admin = handle('default')
  const clickhouse = handle(address.database)
  const form = { database: address.database, cluster: undefined, retention_days: 3650 }
  await ensureDatabase(clickhouse, admin, form)
  await migrateAnalytics(clickhouse, migrationsOf('clickhouse'), form)
  await Promise.all([admin.close(), clickhouse.close()])
  return address
}
