/** One embedded PostgreSQL for the whole run, migrated; test files share it by organisation. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createLog } from '../src/platform/log.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import {
  type PostgresAddress,
  startEmbeddedPostgres,
} from '../src/platform/postgres/embedded/server.ts'
import { migrate, readMigrations } from '../src/platform/postgres/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: PostgresAddress
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-test-'))
  const server = await startEmbeddedPostgres({
    data_dir: folder,
    progress: () => undefined,
    // Tests ask what is committed, not what survives a power cut; the crash tests run without this.
    settings: ['fsync=off', 'max_connections=200'],
  })
  const db = openDatabase({
    server: server.address,
    pool_size: 2,
    prepared_statements: true,
    log: createLog('fatal'),
  })
  await migrate(db, readMigrations(join(packageRoot(), 'migrations', 'postgres')))
  await db.destroy()
  project.provide('postgres', server.address)
  return async () => {
    server.release()
    await server.stopped()
    rmSync(folder, { recursive: true, force: true })
  }
}
