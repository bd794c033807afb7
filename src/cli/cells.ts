/** `vigil cell`: adds, lists, drains and checks cells. */
import { resolve } from 'node:path'
import { type CellAddress, contextOf, migrateCell, requireSession } from '../app/cells.ts'
import { type Stores, shippedMigrations } from '../app/stores.ts'
import {
  createSchema,
  findIdentity,
  hasOrganizations,
  insertCell,
  listCells,
  MAIN_CELL,
  setCellOpen,
} from '../modules/cells/index.ts'
import { reasonOf } from '../platform/operator-error.ts'
import {
  type Database,
  type DatabaseOptions,
  type Db,
  openDatabase,
} from '../platform/postgres/db.ts'
import { isCellName, isPostgresUrl, splitSchema } from '../platform/postgres/named-urls.ts'
import { serverName } from '../platform/postgres/reachable.ts'
import { createReadinessProbe } from '../platform/postgres/write-probe.ts'
import { type Context, withStores } from './command.ts'
import { CommandError, type Io, type Options, type Output, ReportedFailure } from './io.ts'
import { readKeyFile } from './options.ts'

type AddOptions = Options & { urlFile?: string; schema?: string }

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/
export async function addCell(io: Io, options: AddOptions, name = ''): Promise<Output> {
  const { urlFile, schema: own } = options
  if (!isCellName(name)) {
    throw new CommandError(`${name} is not a name of lowercase letters, digits and hyphens`)
  }
  if (own !== undefined && !SCHEMA.test(own)) throw new CommandError(`${own} is not a schema name`)
  if (urlFile === undefined && own === undefined) {
    throw new CommandError('Name the database with --url-file, or a schema with --schema')
  }
  const url = urlFile === undefined ? undefined : readUrl(resolve(io.working_folder, urlFile))
  return await withStores(io, async ({ config, stores }) => {
    const known = await listCells(stores.directory)
    if (known.some((cell) => cell.name === name)) throw new CommandError(`Cell ${name} exists`)
    const named = url === undefined ? undefined : splitSchema(url)
    const schema = own ?? named?.schema
    const server = named?.server ?? stores.server
    const database = { server, schema, ...poolOf(config), log: stores.log }
    const applied = await prepare(database, stores)
    const sealed_url =
      named === undefined
        ? null
        : await stores.sealer.seal(urlOf(named.server, schema), contextOf(name))
    const row = { name, sealed_url, schema: named === undefined ? (schema ?? null) : null }
    await insertCell(stores.directory, { ...row, is_open: false })
    return {
      json: { name, server: nameOf(database), schema: schema ?? null, is_open: false, applied },
      lines: [
        `Cell ${name} added (${nameOf(database)}); ${applied.length} migrations applied`,
        `Restart all nodes, then run \`vigil cell drain ${name} --undo\` to place organizations in it`,
      ],
    }
  })
}

function readUrl(file: string): string {
  const url = readKeyFile(file).trim()
  if (!isPostgresUrl(url)) throw new CommandError(`The file ${file} has no postgres:// URL`)
  return url
}

/** A schema is part of the stored URL. */
function urlOf(server: string, schema: string | undefined): string {
  const url = new URL(server)
  if (schema !== undefined) url.searchParams.set('schema', schema)
  return url.href
}

const poolOf = (config: Context['config']) => ({
  pool_size: 2,
  prepared_statements: config.postgres_prepared_statements,
})

/**
 * Creates the schema and the tables.
 * @throws CommandError if the database cannot be used, or has organizations
 */
async function prepare(
  database: DatabaseOptions,
  { directory, cells }: Stores,
): Promise<readonly string[]> {
  const { schema } = database
  const db = openDatabase(database)
  try {
    await requireSession(database)
    if (schema !== undefined) await createSchema(db, schema)
    await refuseKnown(db, [directory, ...cells.map((cell) => cell.db)])
    const applied = await migrateCell(database, shippedMigrations('postgres'))
    if (await hasOrganizations(db)) {
      throw new CommandError('This database has organizations, of another installation or cell')
    }
    return applied
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`The database of the cell cannot be used: ${reasonOf(cause)}`, { cause })
  } finally {
    await db.destroy()
  }
}

async function refuseKnown(db: Db, known: readonly Database[]): Promise<void> {
  const own = await findIdentity(db)
  for (const other of known) {
    const identity = await findIdentity(other).catch(() => undefined)
    if (identity === own) {
      throw new CommandError('This database and schema are already a cell')
    }
  }
}

/** Without account and password. */
const nameOf = ({ server, schema }: Pick<CellAddress, 'server' | 'schema'>): string =>
  [
    typeof server === 'string' ? serverName(server) : server.database,
    ...(schema ? [schema] : []),
  ].join(', schema ')

export const showCells = async (io: Io, _options: Options): Promise<Output> =>
  await withStores(io, async ({ stores }) => {
    const listed = (await listCells(stores.directory)).map(({ name, is_open, organizations }) => ({
      name,
      organizations,
      is_open,
      server: nameOf(
        stores.cells.find((cell) => cell.name === name) ?? { ...stores, schema: undefined },
      ),
    }))
    return {
      json: { cells: listed },
      lines: listed.map(({ name, organizations, is_open, server }) =>
        [name, `${organizations} organizations`, is_open ? 'open' : 'closed', server].join('  '),
      ),
    }
  })

export const drainCell = async (
  io: Io,
  { undo = false }: Options & { undo?: boolean },
  name = '',
): Promise<Output> =>
  await withStores(io, async ({ stores: { directory } }) => {
    const cells = await listCells(directory)
    const isLast = cells.every((cell) => cell.name === name || !cell.is_open)
    if (!undo && isLast && cells.some((cell) => cell.name === name)) {
      throw new CommandError('Another cell must be open to new organizations first')
    }
    if (!(await setCellOpen(directory, name, undo))) {
      throw new CommandError(`Cell ${name} does not exist`)
    }
    const text = undo ? 'is open to new organizations' : 'gets no new organizations'
    return { json: { name, is_open: undo }, lines: [`Cell ${name} ${text}`] }
  })

export async function checkCells(io: Io, { json }: Options): Promise<void> {
  const cells = await withStores(io, async ({ stores }) => {
    const main = { name: MAIN_CELL, status: await createReadinessProbe(stores.db)() }
    const others = stores.cells.map(async (cell) => {
      try {
        await cell.usable()
        return { name: cell.name, status: await cell.readiness() }
      } catch (error) {
        return { name: cell.name, status: reasonOf(error) }
      }
    })
    return [main, ...(await Promise.all(others))]
  })
  const ok = cells.every(({ status }) => status === 'ready')
  if (json) io.stdout(JSON.stringify({ ok, cells }))
  else for (const { name, status } of cells) io.stdout(`${name}  ${status}`)
  if (!ok) throw new ReportedFailure('a cell cannot be used')
}
