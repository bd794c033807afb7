/**
 * Opens the cells other than the main one: databases, or schemas, that hold the data of some organizations. A cell
 * that cannot be used stops neither the start nor the other cells; it is tried again until it can.
 */
import type { Config } from '../config.ts'
import { type CellRow, insertCell, listCells, MAIN_CELL } from '../modules/cells/index.ts'
import type { Sealer } from '../platform/crypto/sealed.ts'
import type { Log } from '../platform/log.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import {
  type Database,
  type DatabaseOptions,
  findPooling,
  openDatabase,
} from '../platform/postgres/db.ts'
import { type Migration, migrate, pendingMigrations } from '../platform/postgres/migrate.ts'
import { readNamedUrls, splitSchema } from '../platform/postgres/named-urls.ts'
import { createDatabaseWatch, type DatabaseWatch } from '../platform/postgres/watch.ts'
import { createReadinessProbe, type ReadinessProbe } from '../platform/postgres/write-probe.ts'
import { createRepeatedErrors } from '../platform/repeated-errors.ts'
import { waitFor } from '../platform/wait.ts'

export type Cell = {
  name: string
  db: Database
  server: DatabaseOptions['server']
  schema: string | undefined
  database_watch: DatabaseWatch
  /** Whether it has been reached and has the tables of this version. */
  isUsable(): boolean
  /** The same, but a command tries it first. */
  canBeUsed(): Promise<boolean>
  /**
   * Resolves when the cell can be used. A service waits for it; a command tries once.
   * @throws OperatorError in commands
   */
  usable(): Promise<void>
  readiness: ReadinessProbe
  /** Names of the migrations that were applied now. */
  migrated: readonly string[]
  close(): Promise<void>
}

export type CellAddress = Pick<Cell, 'name' | 'server' | 'schema'>

export type CellsOptions = {
  config: Config
  directory: Database
  /** Address of the database of the directory, where cells without a URL are schemas. */
  server: DatabaseOptions['server']
  sealer: Sealer
  log: Log
  migrations: Migration[]
  /** Whether to apply pending migrations, and to go on trying. By default each cell is tried when used. */
  migrates: boolean
  query_timeout_ms?: number
}

const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5000
/** A start does not wait longer for cells that do not respond. */
const START_MAX_MS = 15_000

/** Cells of the setting that the directory does not know yet are added, closed to new organizations. */
export async function openCells(options: CellsOptions): Promise<Cell[]> {
  const { directory, config, migrates, log } = options
  const named = readNamedUrls(config.cells ?? '') ?? new Map<string, string>()
  if (migrates) {
    for (const name of named.keys()) {
      const row = { name, sealed_url: null, schema: null, is_open: false }
      if (await insertCell(directory, row)) log.info({ cell: name }, 'cell added')
    }
  }
  const rows = (await listCells(directory)).filter(({ name }) => name !== MAIN_CELL)
  const addresses: CellAddress[] = []
  for (const row of rows) addresses.push(await addressOfCell(row, options))
  const cells = addresses.map((address) => openCell(address, options))
  const enough = new AbortController()
  const started = Promise.all(cells.map(async (cell) => await cell.attempted))
  if (migrates) await Promise.race([started, waitFor(START_MAX_MS, enough.signal)])
  enough.abort()
  return cells
}

/** @throws OperatorError if neither the directory nor the settings have its URL */
export async function addressOfCell(
  { name, sealed_url, schema }: Pick<CellRow, 'name' | 'sealed_url' | 'schema'>,
  { config, server, sealer }: Pick<CellsOptions, 'config' | 'server' | 'sealer'>,
): Promise<CellAddress> {
  const url =
    readNamedUrls(config.cells ?? '')?.get(name) ??
    (sealed_url === null ? undefined : String(await sealer.open(sealed_url, contextOf(name))))
  if (url !== undefined) return { name, ...splitSchema(url) }
  if (schema !== null) return { name, server, schema }
  throw new OperatorError(
    `The URL of cell ${name} is unknown: it was added by VIGIL_CELLS, which does not name it here.`,
  )
}

export const contextOf = (cell: string): string => `cell:${cell}`

/** @throws OperatorError behind a pooler that gives each transaction another connection */
export async function requireSession(options: DatabaseOptions): Promise<void> {
  if ((await findPooling(options)) === 'session') return
  throw new OperatorError(
    'A cell needs a direct connection, or a pooler in session mode, because its schema is a setting of the session.',
  )
}

type OpenedCell = Cell & { attempted: Promise<unknown> }

export function openCell(
  { name, server, schema }: CellAddress,
  { config, log, migrations, migrates, query_timeout_ms }: Omit<CellsOptions, 'directory'>,
): OpenedCell {
  const database_watch = createDatabaseWatch()
  const database: DatabaseOptions = {
    server,
    schema,
    pool_size: config.postgres_pool_size,
    prepared_statements: config.postgres_prepared_statements,
    log,
  }
  const limit = query_timeout_ms === undefined ? {} : { query_timeout_ms }
  const db = openDatabase({ ...database, ...limit, watch: database_watch })
  const closing = new AbortController()
  const errors = createRepeatedErrors(log)
  const migrated: string[] = []
  let isUsable = false
  const attempt = async () => {
    await requireSession(database)
    if (migrates) migrated.push(...(await migrateCell(database, migrations)))
    else await requireCurrent(db, migrations)
    isUsable = true
  }
  const insist = async () => {
    for (let delay = RETRY_MIN_MS; ; delay = Math.min(2 * delay, RETRY_MAX_MS)) {
      await waitFor(delay, closing.signal)
      if (closing.signal.aborted) return await new Promise<never>(() => undefined)
      try {
        await attempt()
        log.info({ cell: name }, 'cell can be used')
        return
      } catch (error) {
        errors.log(error, { cell: name }, FAILED)
      }
    }
  }
  const first = migrates ? attempt() : undefined
  const finallyUsable = first?.catch((error: unknown) => {
    errors.log(error, { cell: name }, FAILED)
    return insist()
  })
  const probe = createReadinessProbe(db)
  return {
    name,
    db,
    server,
    schema,
    database_watch,
    migrated,
    attempted: first?.catch(() => undefined) ?? Promise.resolve(),
    isUsable: () => isUsable,
    canBeUsed: async () => {
      if (first === undefined && !isUsable) await attempt().catch(() => undefined)
      return isUsable
    },
    usable: async () => {
      if (finallyUsable) return await finallyUsable
      if (isUsable) return
      await attempt().catch((cause: unknown) => {
        throw new OperatorError(`Cell ${name} cannot be used: ${reasonOf(cause)}`, { cause })
      })
    },
    readiness: async () => {
      const status = await probe()
      return status === 'ready' && !isUsable ? 'database not migrated' : status
    },
    close: async () => {
      closing.abort()
      await db.destroy()
    },
  }
}

const FAILED = 'a cell cannot be used; its organizations wait, and it is tried again'

/** Uses separate connections without a statement timeout; an online migration needs two. */
export async function migrateCell(
  database: DatabaseOptions,
  migrations: Migration[],
): Promise<string[]> {
  const db = openDatabase({ ...database, pool_size: 2, query_timeout_ms: 0 })
  try {
    return await migrate(db, migrations)
  } finally {
    await db.destroy()
  }
}

async function requireCurrent(db: Database, migrations: Migration[]): Promise<void> {
  const { length: pending } = await pendingMigrations(db, migrations)
  if (pending > 0)
    throw new OperatorError(`${pending} migrations are pending; run \`vigil migrate\``)
}
