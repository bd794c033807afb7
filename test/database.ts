/** Databases for tests, opened once per test file and closed after it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, inject } from 'vitest'
import { type ClickHouse, createClickHouse } from '../src/platform/clickhouse/client.ts'
import { createLog } from '../src/platform/log.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import { migrate, readMigrations } from '../src/platform/postgres/migrate.ts'

const ENGINE_TIMEOUT_MS = 30_000

/** The one that all test files share; keep apart by organisation. */
export function testDatabase(): Database {
  const db = open(inject('postgres').database, 4)
  afterAll(async () => await db.destroy())
  return db
}

/** The analytics engine that all test files share; keep apart by organisation. */
export function testClickHouse(): ClickHouse {
  const clickhouse = createClickHouse({
    address: () => Promise.resolve(inject('clickhouse')),
    timeout_ms: ENGINE_TIMEOUT_MS,
    log: createLog('silent'),
  })
  afterAll(async () => await clickhouse.close())
  return clickhouse
}

/** One of the file's own, migrated, for what concerns all organisations at once. */
export function ownDatabase(): Database {
  const name = `test_${randomBytes(6).toString('hex')}`
  const shared = testDatabase()
  const db = open(name, 8)
  beforeAll(async () => {
    await sql`create database ${sql.id(name)}`.execute(shared)
    await migrate(db, readMigrations(join(packageRoot(), 'migrations', 'postgres')))
  })
  afterAll(async () => {
    await db.destroy()
    await sql`drop database ${sql.id(name)}`.execute(shared)
  })
  return db
}

function open(database: string, poolSize: number): Database {
  return openDatabase({
    server: { ...inject('postgres'), database },
    pool_size: poolSize,
    prepared_statements: true,
    log: createLog('silent'),
  })
}
