/** `vigil migrate`: applies pending migrations, as the service does when it starts, or lists them. */
import { type Cell, type CellsOptions, openCells } from '../app/cells.ts'
import { dividedTables } from '../app/divided-tables.ts'
import { openEngine, shippedMigrations } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import { hasCells } from '../modules/cells/index.ts'
import { type Analytics, addressOf } from '../platform/clickhouse/engine.ts'
import { EngineRefusal, EngineUnavailable } from '../platform/clickhouse/errors.ts'
import { inspectEngine } from '../platform/clickhouse/inspect.ts'
import { systemClock } from '../platform/clock.ts'
import { readMasterKeys } from '../platform/crypto/master-key.ts'
import { createSealer } from '../platform/crypto/sealed.ts'
import { createIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import type { Database } from '../platform/postgres/db.ts'
import { readMigrationStates } from '../platform/postgres/migrate.ts'
import { type Division, readDivisions } from '../platform/postgres/partitions/index.ts'
import { enterDataDir, withStores } from './command.ts'
import { describeDivision } from './doctor-findings.ts'
import type { Io, Options, Output } from './io.ts'

type MigrateOptions = Options & { status?: true; dryRun?: true }

export const migrateOrReport = async (
  io: Io,
  { status, dryRun }: MigrateOptions,
): Promise<Output> => {
  if (status === true) return describeStatus(await readStatus(io))
  return dryRun === true
    ? describePending((await readStatus(io)).states)
    : await applyMigrations(io)
}

const applyMigrations = async (io: Io): Promise<Output> =>
  await withStores(
    io,
    async ({ config, stores: { analytics, migrated, cells } }) => {
      const applied = [...migrated, ...(await migrateEngine(analytics, config))]
      const lines = [
        ...applied.map((name) => `Applied ${name}`),
        ...cells.flatMap((cell) => cell.migrated.map((name) => `Applied ${name} in ${cell.name}`)),
      ]
      const missing = cells.filter((cell) => !cell.isUsable()).map(({ name }) => name)
      if (missing.length > 0) {
        for (const line of lines) io.stderr(line)
        throw new OperatorError(
          `Cells that could not be migrated: ${missing.join(', ')}. The log says why; run \`vigil migrate\` again.`,
        )
      }
      return {
        json: { applied, ...(cells.length > 0 && { cells: appliedIn(cells) }) },
        lines: lines.length > 0 ? lines : ['No pending migrations'],
      }
    },
    { migrates: true },
  )

const appliedIn = (cells: readonly Cell[]) =>
  cells.map(({ name, migrated }) => ({ name, applied: migrated }))

/** The embedded engine applies its migrations when it starts. */
async function migrateEngine(analytics: Analytics, { clickhouse_url }: Config): Promise<string[]> {
  if (clickhouse_url === undefined) return []
  return await withClickHouse(analytics.ready())
}

/** Progress of dividing the tables of a database into partitions, which a worker does after the migrations. */
type DividedDatabase = { cell?: string; tables: Division[] }

type Status = { states: State[]; partitions: DividedDatabase[] }

type State = {
  database: 'postgresql' | 'clickhouse'
  /** Name of the cell, if it is not the main one. */
  cell?: string
  name: string
  is_applied: boolean
  /** Null if it is pending, and for ClickHouse, which does not say. */
  applied_at: Date | null
  text: string
}

/** Changes nothing, so that it can be run before an upgrade, while the old version runs. */
async function readStatus(io: Io): Promise<Status> {
  const config = readConfig(io.environment)
  const log = createLog('warn')
  const data_dir = await enterDataDir(io, config)
  const { db, server, close } = await openEngine({ config, log, data_dir, progress: io.stderr })
  try {
    const own = await readStatusOf(config, db)
    const cells = await readCells({ config, log, data_dir, directory: db, server })
    const all = [own, ...cells]
    return {
      states: [...all.flatMap(({ states }) => states), ...(await readAnalyticsStates(config))],
      partitions: all.flatMap(({ partitions }) => partitions),
    }
  } finally {
    await close()
  }
}

const readStatusOf = async (config: Config, db: Database, name?: string): Promise<Status> => {
  const cell = name === undefined ? {} : { cell: name }
  const states = await readMigrationStates(db, shippedMigrations('postgres'))
  return {
    states: states.map(({ migration: { name: migration, text }, applied_at }) => ({
      database: 'postgresql' as const,
      ...cell,
      name: migration,
      is_applied: applied_at !== null,
      applied_at,
      text,
    })),
    partitions: [{ ...cell, tables: await readDivisions(db, dividedTables(config)) }],
  }
}

/** @throws OperatorError naming a cell that cannot be reached */
async function readCells({
  data_dir,
  ...opening
}: Pick<CellsOptions, 'config' | 'log' | 'directory' | 'server'> & {
  data_dir: string
}): Promise<Status[]> {
  const { config, directory } = opening
  if (!(await hasCells(directory))) return []
  const masterKeys = readMasterKeys({ configured: config.master_key, data_dir })
  const sealer = createSealer({
    db: directory,
    masterKeys,
    newId: createIds(),
    clock: systemClock,
  })
  const cells = await openCells({ ...opening, sealer, migrations: [], migrates: false })
  const read = cells.map(async ({ name, db }) => {
    try {
      return await readStatusOf(config, db, name)
    } catch (cause) {
      if (cause instanceof OperatorError) throw cause
      throw new OperatorError(`Cell ${name} cannot be used: ${reasonOf(cause)}`, { cause })
    }
  })
  try {
    return await Promise.all(read)
  } finally {
    await Promise.allSettled(read)
    await Promise.all(cells.map(async (cell) => await cell.close()))
  }
}

async function readAnalyticsStates(config: Config): Promise<State[]> {
  const { clickhouse_url, clickhouse_query_timeout_ms: timeout_ms } = config
  if (clickhouse_url === undefined) return []
  const migrations = shippedMigrations('clickhouse')
  const address = addressOf(clickhouse_url)
  const inspecting = inspectEngine({ address, migrations, timeout_ms, log: createLog('silent') })
  const { pending } = await withClickHouse(inspecting)
  return migrations.map(({ name, text }) => {
    const is_applied = !pending.includes(name)
    return { database: 'clickhouse', name, is_applied, applied_at: null, text }
  })
}

function describeStatus({ states, partitions }: Status): Output {
  const migrations = states.map(({ database, cell, name, is_applied, applied_at }) => ({
    database,
    ...(cell !== undefined && { cell }),
    name,
    is_applied,
    applied_at,
  }))
  const pending = migrations.filter(({ is_applied }) => !is_applied).length
  const lines = migrations.map(({ database, cell, name, is_applied, applied_at }) =>
    [is_applied ? 'applied' : 'pending', database.padEnd('postgresql'.length), name]
      .concat(cell === undefined ? [] : [`cell ${cell}`])
      .concat(applied_at === null ? [] : [applied_at.toISOString()])
      .join('  '),
  )
  return {
    json: { pending, migrations, partitions },
    lines: [
      ...lines,
      `Pending migrations: ${pending}`,
      ...partitions.filter(({ tables }) => tables.length > 0).map(describeDivided),
    ],
  }
}

function describeDivided({ cell, tables }: DividedDatabase): string {
  const left = tables.filter(({ state }) => state !== 'divided').map(describeDivision)
  const of = cell === undefined ? '' : ` in cell ${cell}`
  const rest = left.length === 0 ? '' : `; left: ${left.join(', ')}`
  return `Tables divided into partitions${of}: ${tables.length - left.length} of ${tables.length}${rest}`
}

function describePending(states: State[]): Output {
  const pending = states
    .filter(({ is_applied }) => !is_applied)
    .map(({ database, cell, name, text }) => ({
      database,
      ...(cell !== undefined && { cell }),
      name,
      sql: text.trim(),
    }))
  const lines = pending.flatMap(({ database, cell, name, sql }) => [
    `-- ${database}${cell === undefined ? '' : `, cell ${cell}`}: ${name}`,
    sql,
    '',
  ])
  return { json: { pending }, lines: lines.length > 0 ? lines : ['No pending migrations'] }
}

async function withClickHouse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof EngineUnavailable || cause instanceof EngineRefusal)) throw cause
    const problem = `Cannot use the ClickHouse server at CLICKHOUSE_URL: ${cause.message}. Check the address, and that the server is running and accepts this account.`
    throw new OperatorError(problem, { cause })
  }
}
