/** Restores a backup on temporary embedded servers and compares every table with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import { isEngineInstalled } from '../clickhouse/embedded/installed.ts'
import { openAnalytics } from '../clickhouse/engine.ts'
import { tablesOf } from '../clickhouse/migrate.ts'
import type { Log } from '../log.ts'
import { openConnection } from '../postgres/connection.ts'
import { quoted } from '../postgres/dump.ts'
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts'
import type { Migration } from '../postgres/migrate.ts'
import { compareWithBackup, type Difference } from './compare.ts'
import type { AnalyticsTables } from './create.ts'
import type { OpenBackup } from './format.ts'
import { restoreBackup } from './restore.ts'
import type { BackupStore } from './store.ts'

export type VerifyOptions = OpenBackup & {
  store: BackupStore
  migrations: { postgres: readonly Migration[]; clickhouse: readonly Migration[] }
  /** Limits of the temporary analytics engine. */
  memory_mb: number
  threads: number
  query_timeout_ms: number
  log: Log
  progress: (step: string) => void
}

export type Verification = {
  compared: number
  differences: Difference[]
  /** False if the backup has no logs, or the analytics engine is not installed here. */
  logs_compared: boolean
}

/** The copy need not survive a power cut. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off']
/**
 * Rows that are about to expire must not do so during the comparison. Times of expiry have 32 bits, which
 * end in 2106.
 */
const RETENTION_DAYS = 10_000
const NAME = 'vigil-verify'

export async function verifyBackup(options: VerifyOptions): Promise<Verification> {
  const { manifest, migrations, progress } = options
  const data_dir = mkdtempSync(join(tmpdir(), `${NAME}-`))
  const closers: (() => Promise<unknown>)[] = []
  try {
    const server = await startEmbeddedPostgres({ data_dir, progress, settings: SETTINGS })
    closers.unshift(async () => {
      server.release()
      await server.stopped()
    })
    const client = await openConnection(server.address, NAME)
    closers.unshift(async () => await client.end())
    const cells = new Map<string, Client>()
    for (const { name } of manifest.cells ?? []) {
      const schema = `cell_${name}`
      await client.query(`create schema ${quoted(schema)}`)
      const cell = await openConnection(server.address, NAME, schema)
      closers.unshift(async () => await cell.end())
      cells.set(name, cell)
    }
    const hasLogs = manifest.analytics !== null && isEngineInstalled()
    const analytics = hasLogs ? openTemporary(data_dir, options) : undefined
    if (analytics) {
      closers.unshift(analytics.close)
      await analytics.ready()
    }
    const tables: AnalyticsTables = analytics && {
      clickhouse: analytics.unprepared,
      database: 'vigil',
      cluster: undefined,
      tables: tablesOf(migrations.clickhouse),
    }
    await restoreBackup({
      ...options,
      client,
      cells,
      migrations: migrations.postgres,
      analytics: tables,
      overwrites: false,
      removes_pending: false,
      onTable: (table, rows) => progress(`Restored ${table} (${rows} rows)`),
    })
    progress('Comparing the copy with the backup')
    const compared = await compareWithBackup(manifest, { client, cells, analytics: tables })
    return { ...compared, logs_compared: hasLogs }
  } finally {
    for (const close of closers) await close().catch(() => undefined)
    rmSync(data_dir, { recursive: true, force: true })
  }
}

const openTemporary = (data_dir: string, options: VerifyOptions) =>
  openAnalytics({
    clickhouse_url: undefined,
    cluster: undefined,
    data_dir,
    migrations: options.migrations.clickhouse,
    retention_days: RETENTION_DAYS,
    memory_mb: options.memory_mb,
    threads: options.threads,
    query_timeout_ms: options.query_timeout_ms,
    log: options.log,
    progress: options.progress,
  })
