/** `vigil backup` and `vigil restore`: encrypted copies of an installation, taken while it runs. */
import { existsSync } from 'node:fs'
import type { Client } from 'pg'
import { allAnalyticsTables, backupStoreOf, takeBackup } from '../app/backups.ts'
import { openAnalyticsOf, openEngine, shippedMigrations } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import { completeOrganizations } from '../modules/cells/index.ts'
import { listBackups, pruneBackups } from '../platform/backup/catalog.ts'
import type { OpenBackup, Summary } from '../platform/backup/format.ts'
import type { KeySources } from '../platform/backup/keys.ts'
import { checkBackup, openBackup } from '../platform/backup/open.ts'
import { restoreBackup } from '../platform/backup/restore.ts'
import type { BackupStore } from '../platform/backup/store.ts'
import { verifyBackup } from '../platform/backup/verify.ts'
import { systemClock } from '../platform/clock.ts'
import { keyFile, readMasterKeys } from '../platform/crypto/master-key.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import type { DatabaseOptions } from '../platform/postgres/db.ts'
import { quoted } from '../platform/postgres/dump.ts'
import { readNamedUrls, splitSchema } from '../platform/postgres/named-urls.ts'
import { enterDataDir, withStores } from './command.ts'
import { CommandError, confirm, type Io, type Options, type Output } from './io.ts'

export type StoreOptions = Options & { store?: string }

export const createBackupNow = async (io: Io, { store: place }: StoreOptions): Promise<Output> =>
  await withStores(io, async ({ config, stores }) => {
    const store = backupStoreOf(config, place)
    const onTable = (table: string, rows: number) => io.stderr(`Copied ${table} (${rows} rows)`)
    const summary = await takeBackup(stores, config, { store, onTable })
    return { json: describe(summary), lines: [`Backup ${summary.id} taken: ${sizeOf(summary)}`] }
  })

export const listAllBackups = async (io: Io, { store: place }: StoreOptions): Promise<Output> => {
  const { complete, incomplete } = await listBackups(storeFor(io, place).store)
  const lines = complete.map((summary) =>
    [summary.id, summary.taken_at, sizeOf(summary), summary.logs ? 'with logs' : 'without logs']
      .concat(`Vigil ${summary.vigil_version}`)
      .join('  '),
  )
  return {
    json: { backups: complete.map(describe), incomplete },
    lines: [...lines, ...incomplete.map((id) => `${id}  incomplete`)],
  }
}

export const pruneOldBackups = async (
  io: Io,
  { store: place, keepDays }: StoreOptions & { keepDays?: number },
): Promise<Output> => {
  const { config, store } = storeFor(io, place)
  const retention_days = keepDays ?? config.backup_retention_days
  const deleted = await pruneBackups(store, { retention_days, now: systemClock.now() })
  const lines = deleted.map((id) => `Backup ${id} deleted`)
  return { json: { deleted }, lines: lines.length > 0 ? lines : ['No backup is old enough'] }
}

export const verifyOneBackup = async (
  io: Io,
  { store: place }: StoreOptions,
  wanted: string,
): Promise<Output> => {
  const { config, store } = storeFor(io, place)
  const opened = await openChecked(io, { config, store, wanted })
  const { compared, differences, logs_compared } = await verifyBackup({
    ...opened,
    store,
    migrations: {
      postgres: shippedMigrations('postgres'),
      clickhouse: shippedMigrations('clickhouse'),
    },
    memory_mb: config.clickhouse_memory_mb,
    threads: config.clickhouse_threads,
    query_timeout_ms: config.clickhouse_query_timeout_ms,
    log: createLog('warn'),
    progress: io.stderr,
  })
  const { id } = opened.summary
  if (differences.length > 0) {
    const tables = differences.map(
      ({ table, expected, found }) =>
        `${table} (${found.rows} rows instead of ${expected.rows}, or other values)`,
    )
    throw new CommandError(`The copy differs from the backup ${id}: ${tables.join(', ')}`)
  }
  const logs = opened.summary.logs && !logs_compared ? '. Logs were not compared' : ''
  return {
    json: { id, tables: compared, logs_compared },
    lines: [`Backup ${id} can be restored: ${compared} tables are equal${logs}`],
  }
}

export const restore = async (
  io: Io,
  {
    store: place,
    overwrite,
    logs,
    yes,
  }: StoreOptions & { overwrite?: true; logs: boolean; yes?: true },
  wanted: string,
): Promise<Output> => {
  const { config, store } = storeFor(io, place)
  const data_dir = await enterDataDir(io, config)
  const opened = await openChecked(io, { config, store, wanted, data_dir })
  const { id, taken_at } = opened.summary
  requireMasterKeys(opened, config, data_dir)
  if (overwrite === true && yes !== true) {
    await confirm(io, `Replace all data of this installation by that of ${taken_at}?`)
  }
  const log = createLog('warn')
  const engine = await openEngine({ config, log, data_dir, progress: io.stderr, waits: true })
  try {
    const hasLogs = logs && opened.manifest.analytics !== null
    const analytics = hasLogs
      ? openAnalyticsOf(config, { data_dir, log, progress: io.stderr })
      : undefined
    const targets = await openTargets(opened, config, engine.server)
    const { client, cells } = targets
    try {
      await analytics?.ready()
      await restoreBackup({
        ...opened,
        store,
        client,
        cells,
        complete: async (directory) => await completeOrganizations(directory, cells),
        migrations: shippedMigrations('postgres'),
        analytics: analytics && allAnalyticsTables(analytics, config),
        overwrites: overwrite === true,
        removes_pending: true,
        onTable: (table, rows) => io.stderr(`Restored ${table} (${rows} rows)`),
      })
    } finally {
      await targets.close()
      await analytics?.close()
    }
  } finally {
    await engine.close()
  }
  return {
    json: { id, taken_at },
    lines: [`Backup ${id} restored. The service can start; it has the data of ${taken_at}`],
  }
}

type Targets = { client: Client; cells: ReadonlyMap<string, Client>; close(): Promise<void> }

/** Cells are restored where VIGIL_CELLS says, or where they were. */
async function openTargets(
  { manifest }: OpenBackup,
  config: Config,
  server: DatabaseOptions['server'],
): Promise<Targets> {
  const named = readNamedUrls(config.cells ?? '')
  const cells = new Map<string, Client>()
  const client = await openConnection(server, CONNECTION_NAME)
  const close = async () => {
    const all = [client, ...cells.values()]
    await Promise.all(all.map(async (each) => await each.end().catch(() => undefined)))
  }
  try {
    for (const { name, url, schema } of manifest.cells ?? []) {
      const place = named?.get(name)
      const target = place === undefined ? { server: url ?? server, schema } : splitSchema(place)
      const own = target.schema ?? undefined
      const cell = await openConnection(target.server, CONNECTION_NAME, own)
      cells.set(name, cell)
      if (own !== undefined) await cell.query(`create schema if not exists ${quoted(own)}`)
    }
    return { client, cells, close }
  } catch (cause) {
    await close()
    throw new OperatorError(`A cell cannot be restored: ${reasonOf(cause)}`, { cause })
  }
}

const CONNECTION_NAME = 'vigil-restore'

function storeFor(io: Io, place: string | undefined): { config: Config; store: BackupStore } {
  const config = readConfig(io.environment)
  return { config, store: backupStoreOf(config, place) }
}

async function openChecked(
  io: Io,
  options: { config: Config; store: BackupStore; wanted: string; data_dir?: string },
): Promise<OpenBackup> {
  const { config, store, wanted } = options
  const data_dir = options.data_dir ?? (await enterDataDir(io, config))
  const opened = await openBackup(store, wanted, keySources(config, data_dir))
  io.stderr(`Checking the backup ${opened.summary.id}`)
  await checkBackup(store, opened, (done, all) => {
    if (done % PROGRESS_EVERY === 0) io.stderr(`Checked ${done} of ${all} parts`)
  })
  return opened
}

const PROGRESS_EVERY = 100

/** Creates no master key, because a new one opens nothing. */
function keySources(config: Config, data_dir: string): KeySources {
  const { master_key: configured, backup_passphrase: passphrase } = config
  const isThere = configured !== undefined || existsSync(keyFile(data_dir))
  return { masterKeys: isThere ? readMasterKeys({ configured, data_dir }) : undefined, passphrase }
}

/** Without them, the service would not start on the restored database. */
function requireMasterKeys({ manifest }: OpenBackup, config: Config, data_dir: string): void {
  const { masterKeys } = keySources(config, data_dir)
  const missing = manifest.postgres.master_key_ids.filter((id) => !masterKeys?.find(id))
  if (missing.length === 0) return
  throw new CommandError(
    `The secrets in the backup are sealed by the master key ${missing.join(', ')}. Put it into ${keyFile(data_dir)} or VIGIL_MASTER_KEY, then restore again.`,
  )
}

const describe = ({ id, taken_at, finished_at, bytes, rows, logs, keys, ...rest }: Summary) => ({
  id,
  taken_at,
  finished_at,
  bytes,
  rows,
  logs,
  vigil_version: rest.vigil_version,
  master_key_ids: keys.flatMap((key) => (key.kind === 'master_key' ? [key.master_key_id] : [])),
})

const MEGABYTE = 1_000_000

const sizeOf = ({ bytes, rows }: Summary): string =>
  `${rows} rows, ${(bytes / MEGABYTE).toFixed(1)} MB`
