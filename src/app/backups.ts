/** Backups of this installation: taking one, the schedule, and gauges of the newest. */
import type { Client } from 'pg'
import type { Config } from '../config.ts'
import { MAIN_CELL, refuseMoves } from '../modules/cells/index.ts'
import { newestBackup, pruneBackups } from '../platform/backup/catalog.ts'
import { type AnalyticsTables, type CellSource, createBackup } from '../platform/backup/create.ts'
import type { Summary } from '../platform/backup/format.ts'
import { type BackupStore, openBackupStore } from '../platform/backup/store.ts'
import { cached } from '../platform/cached.ts'
import {
  type Analytics,
  addressOf,
  EMBEDDED_DATABASE,
  hasEmbeddedData,
} from '../platform/clickhouse/engine.ts'
import { tablesOf } from '../platform/clickhouse/migrate.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import { exclusively } from '../platform/postgres/exclusive.ts'
import { HOUR_SECONDS } from '../platform/time-units.ts'
import type { Cell, CellAddress } from './cells.ts'
import type { Core } from './core.ts'
import { job, type Part } from './part.ts'
import { type Stores, shippedMigrations } from './stores.ts'
import { VERSION } from './version.ts'

/** A worker looks this often whether a backup is due. */
const LOOK_SECONDS = 600
const GAUGES_EVERY_MS = 300_000
const CONNECTION_NAME = 'vigil-backup'

/** @throws OperatorError if no place is set */
export function backupStoreOf(config: Config, place = config.backup_to): BackupStore {
  if (place === undefined) {
    throw new OperatorError(
      'Set VIGIL_BACKUP_TO, or --store, to a folder or to s3://BUCKET/PREFIX.',
    )
  }
  return openBackupStore(place, {
    endpoint: config.backup_s3_endpoint,
    region: config.backup_s3_region,
    access_key_id: config.backup_s3_access_key_id,
    secret_access_key: config.backup_s3_secret_access_key,
  })
}

/**
 * Uses the tables as the service created them: to prepare them would apply the retention of this process.
 *
 * @returns undefined for an embedded engine that has never stored anything
 */
export function analyticsTables(
  analytics: Analytics,
  config: Config,
  dataDir: string,
): AnalyticsTables {
  const { clickhouse_url: url, clickhouse_cluster } = config
  if (url === undefined && !hasEmbeddedData(dataDir)) return undefined
  return allAnalyticsTables(analytics, { clickhouse_url: url, clickhouse_cluster })
}

export const allAnalyticsTables = (
  analytics: Analytics,
  {
    clickhouse_url: url,
    clickhouse_cluster,
  }: Pick<Config, 'clickhouse_url' | 'clickhouse_cluster'>,
): NonNullable<AnalyticsTables> => ({
  clickhouse: analytics.unprepared,
  database: url === undefined ? EMBEDDED_DATABASE : addressOf(url).database,
  cluster: url === undefined ? undefined : clickhouse_cluster,
  tables: tablesOf(shippedMigrations('clickhouse')),
})

export type TakeOptions = {
  store: BackupStore
  onTable?: (table: string, rows: number) => void
  signal?: AbortSignal
}

/** @throws OperatorError while another process takes a backup */
export async function takeBackup(
  stores: Stores,
  config: Config,
  { store, onTable = () => undefined, signal = new AbortController().signal }: TakeOptions,
): Promise<Summary> {
  const { db, server, masterKeys, clock, analytics, data_dir } = stores
  const tables = config.backup_logs ? analyticsTables(analytics, config, data_dir) : undefined
  const taken = await exclusively(db, 'backup', async () => {
    const clients: Client[] = []
    const connect = async (...[of, schema]: [Cell['server'], string?]) => {
      const client = await openConnection(of, CONNECTION_NAME, schema)
      clients.push(client)
      return client
    }
    try {
      const cells: CellSource[] = []
      for (const cell of stores.cells) {
        await cell.usable()
        const client = await connect(cell.server, cell.schema)
        cells.push({ ...placeOf(cell, server), client })
      }
      return await createBackup({
        store,
        client: await connect(server),
        cells,
        onSnapshots: async (since, directory) =>
          await refuseMoves(directory, [MAIN_CELL, ...cells.map(({ name }) => name)], since),
        analytics: tables,
        keys: { masterKeys, passphrase: config.backup_passphrase },
        clock,
        vigil_version: VERSION,
        onTable,
        signal,
      })
    } finally {
      await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
    }
  })
  if (taken) return taken.result
  throw new OperatorError('Another process is taking a backup. Try again when it has finished.')
}

/** Where a restore puts the cell, unless the settings name another place. */
const placeOf = ({ name, server, schema }: CellAddress, directory: Cell['server']) => ({
  name,
  url: typeof server === 'string' && server !== directory ? server : null,
  schema: schema ?? null,
})

export function createBackupsPart(core: Core): Part {
  const { config } = core
  if (core.cell !== MAIN_CELL) return {}
  if (config.backup_to === undefined) return { gauges: [gauges(() => Promise.resolve([]))] }
  const store = backupStoreOf(config)
  const newest = cached(async () => await newestBackup(store), GAUGES_EVERY_MS)
  const read = async () => {
    const summary = await newest()
    const values = {
      vigil_backup_last_success_timestamp_seconds: summary
        ? new Date(summary.taken_at).getTime() / 1000
        : 0,
      vigil_backup_bytes: summary?.bytes ?? 0,
      vigil_backup_interval_seconds: config.backup_interval_hours * HOUR_SECONDS,
    }
    return [{ values }]
  }
  const isScheduled = config.backup_interval_hours > 0
  return { gauges: [gauges(read)], jobs: isScheduled ? [backupJob(core, store)] : [] }
}

const gauges = (read: GaugeOptions<string>['read']): GaugeOptions<string> => ({
  gauges: {
    vigil_backup_last_success_timestamp_seconds:
      'Time of the newest complete backup in the store; 0 if it has none',
    vigil_backup_bytes: 'Size of the newest complete backup',
    vigil_backup_interval_seconds: 'Interval at which backups are taken; 0 if they are not',
  },
  read,
})

/** The store decides whether a backup is due, so that any number of workers take one. */
const backupJob = (core: Core, store: BackupStore) =>
  job('backup', LOOK_SECONDS, async (now, signal) => {
    const { backup_interval_hours, backup_retention_days: retention_days } = core.config
    const newest = await newestBackup(store)
    const age_ms = newest ? now.getTime() - new Date(newest.taken_at).getTime() : Infinity
    if (age_ms < backup_interval_hours * HOUR_SECONDS * 1000) return
    const { id, bytes, rows } = await takeBackup(core, core.config, { store, signal })
    const deleted = await pruneBackups(store, { retention_days, now })
    core.log.info({ id, bytes, rows, deleted: deleted.length }, 'backup taken')
  })
