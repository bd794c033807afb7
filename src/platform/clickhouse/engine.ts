/**
 * Opens the analytics engine: ClickHouse at CLICKHOUSE_URL, or the embedded engine. The engine starts
 * with the first request, which waits until the engine runs and its tables are migrated. A query of an
 * embedded engine that has never stored anything finds nothing without starting it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Migration } from '../postgres/migrate.ts'
import { type ClickHouse, type ClickHouseAddress, createClickHouse } from './client.ts'
import { placeOf } from './embedded/place.ts'
import { createEmbeddedClickHouse, type EmbeddedClickHouse } from './embedded/server.ts'
import { EngineUnavailable, isMissing } from './errors.ts'
import { type DatabaseForm, ensureDatabase, migrateAnalytics } from './migrate.ts'

export type AnalyticsOptions = {
  /** `http://user:password@host:8123/database`, or undefined for the embedded engine. */
  clickhouse_url: string | undefined
  cluster: string | undefined
  /** For a cluster; by default a majority. */
  insert_quorum?: number | 'auto'
  data_dir: string
  migrations: readonly Migration[]
  retention_days: number
  /** Limits of the embedded engine. */
  memory_mb: number
  threads: number
  query_timeout_ms: number
  log: Log
  /** Called with the current step when it takes more than a moment. */
  progress: (step: string) => void
  /** The embedded engine, if it is not that of this process. */
  engine?: EmbeddedClickHouse | undefined
}

export type Analytics = {
  clickhouse: ClickHouse
  /** Uses the tables as they are, for commands while a service runs; never creates or migrates. */
  unprepared: ClickHouse
  /** Starts the engine in the background, so that the first request does not wait. Never throws. */
  start(): void
  /**
   * Resolves when the engine runs and its tables are migrated, with the migrations applied now.
   * @throws EngineUnavailable, or OperatorError for what the operator can fix
   */
  ready(): Promise<string[]>
  /** Whether the engine responds. One that has never stored anything is not started, and counts as available. */
  isAvailable(): Promise<boolean>
  close(): Promise<void>
}

export const EMBEDDED_DATABASE = 'vigil'
/** This database exists on every server. */
const ADMIN_DATABASE = 'default'
const SLOW_MS = 1500
/** After a failed preparation, requests fail with the same error for this long. */
const RETRY_MS = 1000
const PING_TIMEOUT_MS = 3000

export function openAnalytics(options: AnalyticsOptions): Analytics {
  const source =
    options.clickhouse_url === undefined ? embedded(options) : remote(options.clickhouse_url)
  const form = {
    database: source.database,
    cluster: options.clickhouse_url === undefined ? undefined : options.cluster,
    retention_days: options.retention_days,
  }
  const handle = (address: () => Promise<ClickHouseAddress>): ClickHouse =>
    createClickHouse({
      address,
      timeout_ms: options.query_timeout_ms,
      log: options.log,
      insert_quorum:
        form.cluster === undefined ? undefined : String(options.insert_quorum ?? 'auto'),
      onUnavailable: source.suspect,
    })
  const at = (database: string) => handle(async () => ({ ...(await source.address()), database }))
  const raw = at(form.database)
  const admin = at(ADMIN_DATABASE)
  const tables = createPreparation(async () => await prepare({ raw, admin, form, ...options }))
  const clickhouse = handle(async () => {
    await tables.ready()
    return { ...(await source.address()), database: form.database }
  })
  const isUnused = options.clickhouse_url === undefined ? createUnusedCheck(options, tables) : never
  return {
    clickhouse: withoutStart(recreatingTables(clickhouse, tables.forget), isUnused),
    unprepared: raw,
    start: () => {
      tables.ready().catch((error: unknown) => {
        options.log.error({ err: error }, 'the analytics engine is not ready')
      })
    },
    ready: tables.ready,
    isAvailable: async () => isUnused() || (await responds(raw)),
    close: async () => {
      await Promise.all([clickhouse.close(), raw.close(), admin.close()])
      await source.close()
    },
  }
}

/** Whether the embedded engine has been used in this data directory. */
export const hasEmbeddedData = (dataDir: string): boolean =>
  existsSync(join(placeOf(dataDir).directory, 'metadata'))

const never = (): boolean => false

/** The database of a server that is not used yet is created with the first log. */
const responds = async (raw: ClickHouse): Promise<boolean> =>
  await raw.query('SELECT 1', {}, { timeout_ms: PING_TIMEOUT_MS }).then(() => true, isMissing)

/** Another process can create the data, so the folder is examined until it exists. */
function createUnusedCheck(
  { data_dir }: AnalyticsOptions,
  { isBegun }: Preparation,
): () => boolean {
  let isUsed = false
  return () => {
    isUsed ||= isBegun() || hasEmbeddedData(data_dir)
    return !isUsed
  }
}

const withoutStart = (clickhouse: ClickHouse, isUnused: () => boolean): ClickHouse => ({
  ...clickhouse,
  query: async <Row>(...args: Parameters<ClickHouse['query']>) =>
    isUnused() ? [] : await clickhouse.query<Row>(...args),
})

type Source = EmbeddedClickHouse & { database: string }

function embedded({ engine, ...options }: AnalyticsOptions): Source {
  return { database: EMBEDDED_DATABASE, ...(engine ?? createEmbeddedClickHouse(options)) }
}

function remote(url: string): Source {
  const { database, ...address } = addressOf(url)
  return {
    database,
    address: () => Promise.resolve(address),
    suspect: () => undefined,
    close: () => Promise.resolve(),
  }
}

export function addressOf(serverUrl: string): ClickHouseAddress {
  const { origin, username, password, pathname } = new URL(serverUrl)
  return {
    url: origin,
    username: username === '' ? 'default' : decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || ADMIN_DATABASE,
  }
}

type Steps = Pick<AnalyticsOptions, 'migrations' | 'progress'> & {
  raw: ClickHouse
  admin: ClickHouse
  form: DatabaseForm
}

async function prepare({ raw, admin, form, migrations, progress }: Steps): Promise<string[]> {
  const slow = setTimeout(progress, SLOW_MS, 'Starting and migrating the analytics engine')
  try {
    await ensureDatabase(raw, admin, form)
    return await migrateAnalytics(raw, migrations, form)
  } finally {
    clearTimeout(slow)
  }
}

type Preparation = ReturnType<typeof createPreparation>

/** Does the work once for all callers, and again only after it failed or `forget` was called. */
function createPreparation(work: () => Promise<string[]>) {
  let current: Promise<string[]> | undefined
  let failed: { error: unknown; at: number } | undefined
  const ready = async (): Promise<string[]> => {
    if (failed && performance.now() - failed.at < RETRY_MS) throw failed.error
    failed = undefined
    current ??= work().catch((error: unknown) => {
      current = undefined
      if (!(error instanceof EngineUnavailable)) failed = { error, at: performance.now() }
      throw error
    })
    return await current
  }
  const forget = () => {
    current = undefined
  }
  const isBegun = () => current !== undefined || failed !== undefined
  return { ready, forget, isBegun }
}

/** Prepares the database again when tables are missing, for example because their folder was moved. */
function recreatingTables(clickhouse: ClickHouse, forget: () => void): ClickHouse {
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (isMissing(error)) forget()
      throw error
    }
  }
  return {
    ...clickhouse,
    query: async <Row>(...args: Parameters<ClickHouse['query']>) =>
      await watched(clickhouse.query<Row>(...args)),
    command: async (...args) => await watched(clickhouse.command(...args)),
    insert: async (...args) => await watched(clickhouse.insert(...args)),
  }
}
