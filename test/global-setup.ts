/**
 * Provides fresh databases on PostgreSQL and ClickHouse for the whole run: on the engines of
 * `npm run engines` if they are running, else on engines that it starts. Test files share the databases
 * and are isolated by organization.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Engines, isSplit, startEngines, wholeTemplate } from '../scripts/engines/engines.ts'
import { createRunDatabases } from '../scripts/engines/run-databases.ts'
import { findSharedEngines } from '../scripts/engines/shared-engines.ts'
import type { ClickHouseAddress } from '../src/platform/clickhouse/client.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/place.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** With the database of this run. */
    postgres: PostgresAddress
    /** With the database of this run. */
    clickhouse: ClickHouseAddress
    /** Migrated PostgreSQL database without data, to create other databases from. */
    template: string
    /** The same, but never with the directory apart. */
    whole: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = isSplit()
    ? undefined
    : await findSharedEngines((reason) =>
        process.stderr.write(`Not using the engines of \`npm run engines\`: ${reason}\n`),
      )
  const { engines, stop } = shared ? { engines: shared, stop: undefined } : await startOwnEngines()
  try {
    const { postgres, clickhouse, drop } = await createRunDatabases(engines)
    project.provide('postgres', postgres)
    project.provide('clickhouse', clickhouse)
    project.provide('template', engines.postgres.database)
    project.provide('whole', wholeTemplate(engines))
    return stop ?? drop
  } catch (error) {
    await stop?.()
    throw error
  }
}

async function startOwnEngines(): Promise<{ engines: Engines; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-test-'))
  const remove = () => removeInBackground(folder)
  try {
    const engines = await startEngines(folder)
    const stop = async () => {
      await engines.stop()
      remove()
    }
    return { engines, stop }
  } catch (error) {
    remove()
    throw error
  }
}

/** Removing the thousands of files of all databases takes up to 20 s. */
function removeInBackground(folder: string): void {
  spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}
