/** Databases for tests, opened once per test file and closed after it. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, inject } from 'vitest'
import { copyDatabase, withMaintenance } from '../scripts/engines/copy-database.ts'
import { migrationsOf } from '../scripts/engines/engines.ts'
import { givenCluster } from '../scripts/engines/given-clickhouse.ts'
import { givenCellServer } from '../scripts/engines/given-postgres.ts'
import {
  type ClickHouse,
  type ClickHouseAddress,
  createClickHouse,
} from '../src/platform/clickhouse/client.ts'
import { createLog } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/place.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'

const ENGINE_TIMEOUT_MS = 30_000

/** @throws in projects that start no engines */
export const postgresAddress = (): PostgresAddress => provided(inject('postgres'))

/** @throws in projects that start no engines */
export const clickhouseAddress = (): ClickHouseAddress => provided(inject('clickhouse'))

function provided<T>(address: T | undefined): T {
  if (address !== undefined) return address
  throw new Error(
    'This test file runs in a project that starts no engines, because its static imports do not show that it needs them (test/projects.ts). Import test/harness.ts or test/database.ts statically.',
  )
}

/** The database that all test files share. Tests are isolated by organization. */
export function testDatabase(): Database {
  const db = open(postgresAddress().database, 4)
  afterAll(async () => await db.destroy())
  return db
}

/** The analytics database that all test files share. Tests are isolated by organization. */
export function testClickHouse(): ClickHouse {
  const clickhouse = createClickHouse({
    address: () => Promise.resolve(clickhouseAddress()),
    timeout_ms: ENGINE_TIMEOUT_MS,
    log: createLog('silent'),
    insert_quorum: givenCluster() && 'auto',
  })
  afterAll(async () => await clickhouse.close())
  return clickhouse
}

/**
 * A migrated database for one test file, for tests that affect all organizations.
 *
 * @param template `whole` for installations with several cells and for backups: the directory is not apart there, also
 * in `npm run test:cells`
 */
export function ownDatabase(template: 'template' | 'whole' = 'template'): Database {
  // By the prefix, the run drops it even if the test file is killed.
  const name = `${postgresAddress().database}_${randomBytes(4).toString('hex')}`
  const shared = testDatabase()
  const db = open(name, 8)
  beforeAll(async () => {
    await copyDatabase({ ...postgresAddress(), database: inject(template) }, name)
  })
  afterAll(async () => {
    await db.destroy()
    await sql`drop database ${sql.id(name)} with (force)`.execute(shared)
  })
  return db
}

/** The server of the databases of `ownCellDatabase`. */
export const cellServer = (): Omit<PostgresAddress, 'database'> =>
  givenCellServer() ?? postgresAddress()

/** A migrated database for a further cell, which is on the second server of `npm run test:cells` if there is one. */
export function ownCellDatabase(): Database {
  const server = givenCellServer()
  if (server === undefined) return ownDatabase('whole')
  const name = `vigil_test_cell_${process.pid}_${randomBytes(4).toString('hex')}`
  const maintain = async (statement: string) =>
    await withMaintenance({ ...server, database: name }, async (admin) => {
      await admin.query(statement)
    })
  const db = open(name, 8, server)
  beforeAll(async () => {
    await maintain(`create database ${name} template template0`)
    await migrate(db, migrationsOf('postgres'))
  }, ENGINE_TIMEOUT_MS)
  afterAll(async () => {
    await db.destroy()
    await maintain(`drop database ${name} with (force)`)
  })
  return db
}

function open(
  database: string,
  poolSize: number,
  server: Omit<PostgresAddress, 'database'> = postgresAddress(),
): Database {
  return openDatabase({
    server: { ...server, database },
    pool_size: poolSize,
    prepared_statements: true,
    log: createLog('silent'),
  })
}
