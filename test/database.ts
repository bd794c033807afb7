/** The shared test database, opened once per test file and closed after it. */
import { afterAll, inject } from 'vitest'
import { createLog } from '../src/platform/log.ts'
import { type Database, openDatabase } from '../src/platform/postgres/db.ts'

export function testDatabase(): Database {
  const db = openDatabase({
    server: inject('postgres'),
    pool_size: 4,
    prepared_statements: true,
    log: createLog('fatal'),
  })
  afterAll(async () => await db.destroy())
  return db
}
