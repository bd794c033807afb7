/**
 * The analytics engine behind one handle: ClickHouse at CLICKHOUSE_URL, or the embedded one. Nothing
 * starts before it is asked for; what is asked first waits until the engine is there and its tables
 * are of this version.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Migration } from '../postgres/migrate.ts'
import { type ClickHouse, type ClickHouseAddress, createClickHouse } from './client.ts'
import { placeOf } from './embedded/place.ts'
import { createEmbeddedClickHouse } from './embedded/server.ts'
import { CODE, EngineAway, EngineRefusal } from './errors.ts'
import { type DatabaseForm, ensureDatabase, migrateAnalytics } from './migrate.ts'

export type AnalyticsOptions = {
  /** `http://user:password@host:8123/database`; undefined: the embedded engine. */
  clickhouse_url: string | undefined
  cluster: string | undefined
  data_dir: string
  migrations: readonly Migration[]
  retention_days: number
  /** Limits of the embedded engine. */
  memory_mb: number
  threads: number
  query_timeout_ms: number
  log: Log
  /** Told what is being done when it takes more than a moment. */
  progress: (step: string) => void
}

export type Analytics = {
  clickhouse: ClickHouse
  /** Begins to start it, so that the first request does not have to wait. Never throws. */
  start(): void
  /**
   * Resolves when it is there and its tables are of this version, with the migrations applied now.
   * @throws EngineAway, or OperatorError for what the operator can mend
   */
  ready(): Promise<string[]>
  close(): Promise<void>
}

/** Where the tables are in the embedded engine. */
export const EMBEDDED_DATABASE = 'vigil'
/** Exists on every server. */
const ADMIN_DATABASE = 'default'
const SLOW_MS = 1500
/** After a failure that is not about the engine being away, it is not tried for every request. */
const RETRY_MS = 1000

export function openAnalytics(options: AnalyticsOptions): Analytics {
  const source =
    options.clickhouse_url === undefined ? embedded(options) : remote(options.clickhouse_url)
  const handle = (address: () => Promise<ClickHouseAddress>): ClickHouse =>
    createClickHouse({
      address,
      timeout_ms: options.query_timeout_ms,
      log: options.log,
      onAway: source.suspect,
    })
  const at = (database: string) => handle(async () => ({ ...(await source.address()), database }))
  const form = {
    database: source.database,
    cluster: options.clickhouse_url === undefined ? undefined : options.cluster,
    retention_days: options.retention_days,
  }
  const raw = at(form.database)
  const admin = at(ADMIN_DATABASE)
  const tables = keepReady(async () => await prepare({ raw, admin, form, ...options }))
  const clickhouse = handle(async () => {
    await tables.ready()
    return { ...(await source.address()), database: form.database }
  })
  return {
    clickhouse: rebuilding(clickhouse, tables.forget),
    start: () => {
      tables.ready().catch((error: unknown) => {
        options.log.error({ err: error }, 'the analytics engine is not ready')
      })
    },
    ready: tables.ready,
    close: async () => {
      await Promise.all([clickhouse.close(), raw.close(), admin.close()])
      await source.close()
    },
  }
}

/** Whether the embedded engine was used in this data directory. */
export const hasEmbeddedData = (dataDir: string): boolean =>
  existsSync(join(placeOf(dataDir).directory, 'metadata'))

type Source = {
  database: string
  address: () => Promise<Omit<ClickHouseAddress, 'database'>>
  suspect: () => void
  close: () => Promise<void>
}

function embedded({ data_dir, memory_mb, threads, log }: AnalyticsOptions): Source {
  const engine = createEmbeddedClickHouse({ data_dir, memory_mb, threads, log })
  const { address, suspect, close } = engine
  return { database: EMBEDDED_DATABASE, address, suspect, close }
}

function remote(given: string): Source {
  const { database, ...address } = addressOf(given)
  return {
    database,
    address: () => Promise.resolve(address),
    suspect: () => undefined,
    close: () => Promise.resolve(),
  }
}

/** Of a setting like CLICKHOUSE_URL. */
export function addressOf(given: string): ClickHouseAddress {
  const { origin, username, password, pathname } = new URL(given)
  return {
    url: origin,
    username: username === '' ? 'default' : decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || ADMIN_DATABASE,
  }
}

type Preparation = Pick<AnalyticsOptions, 'migrations' | 'progress'> & {
  raw: ClickHouse
  admin: ClickHouse
  form: DatabaseForm
}

async function prepare({ raw, admin, form, migrations, progress }: Preparation): Promise<string[]> {
  const slow = setTimeout(progress, SLOW_MS, 'Bringing the analytics engine to this version')
  try {
    await ensureDatabase(raw, admin, form)
    return await migrateAnalytics(raw, migrations, form)
  } finally {
    clearTimeout(slow)
  }
}

/** Does the work once, for all who wait; again only after it failed or was told to. */
function keepReady(work: () => Promise<string[]>) {
  let current: Promise<string[]> | undefined
  let failed: { error: unknown; at: number } | undefined
  const ready = async (): Promise<string[]> => {
    if (failed && performance.now() - failed.at < RETRY_MS) throw failed.error
    failed = undefined
    current ??= work().catch((error: unknown) => {
      current = undefined
      if (!(error instanceof EngineAway)) failed = { error, at: performance.now() }
      throw error
    })
    return await current
  }
  const forget = () => {
    current = undefined
  }
  return { ready, forget }
}

/** Tables that are suddenly missing (their folder was moved away, say) are made again. */
function rebuilding(clickhouse: ClickHouse, forget: () => void): ClickHouse {
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isMissing =
        error instanceof EngineRefusal &&
        (error.code === CODE.unknown_table || error.code === CODE.unknown_database)
      if (isMissing) forget()
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
