/**
 * Shared by the commands that use data: access to the settings and the database, which may be that of
 * a running service.
 */
import { type AccountsPart, createAccountsPart } from '../app/accounts.ts'
import { type Core, coreOfCell, openCore } from '../app/core.ts'
import { chooseDataDir, SYSTEM_DATA_DIR } from '../app/data-dir.ts'
import type { Outside } from '../app/outside.ts'
import { openStores, type Stores } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import type { Organization } from '../modules/accounts/index.ts'
import { findCellOf } from '../modules/cells/index.ts'
import { type DataFolder, leaveRoot } from '../platform/embedded/leave-root.ts'
import { isUuid } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import type { Database } from '../platform/postgres/db.ts'
import { CommandError, type Io } from './io.ts'
import { runAgain } from './run-again.ts'

/**
 * Data directory of the settings. A program that root started runs as another account from here on, so
 * files that only root can read have to be read before.
 */
export async function enterDataDir(io: Io, config: Config): Promise<string> {
  const path = chooseDataDir(config.data_dir, io.working_folder)
  const otherwise = config.data_dir === undefined ? SYSTEM_DATA_DIR : undefined
  return await leaveRootFor(io, { path, otherwise }, config.database_url === undefined)
}

/** Resolves in the process that continues. */
export async function leaveRootFor(
  io: Io,
  folder: DataFolder,
  embedded_postgres: boolean,
): Promise<string> {
  if (io.leaves_root !== true) return folder.path
  const { data_dir, again } = leaveRoot(folder, { embedded_postgres, progress: io.stderr })
  if (again) {
    const setting = data_dir.slice(0, data_dir.length - (folder.suffix ?? '').length)
    await runAgain(again, { ...io.environment, VIGIL_DATA_DIR: setting })
  }
  return data_dir
}

export type Context = { config: Config; stores: Stores }

/**
 * Opens the database, whose version must match this program unless `migrates` is set: only
 * `vigil migrate` and the start of the service apply migrations.
 */
export async function withStores<T>(
  io: Io,
  run: (context: Context) => Promise<T>,
  { migrates = false }: { migrates?: boolean } = {},
): Promise<T> {
  const config = readConfig(io.environment)
  const stores = await openStores({
    config,
    log: createLog('warn'),
    data_dir: await enterDataDir(io, config),
    progress: io.stderr,
    is_patient: true,
    migrates,
    waits: migrates,
  })
  try {
    return await run({ config, stores })
  } finally {
    await stores.close()
  }
}

export async function withCore<T>(
  io: Io,
  run: (core: Core) => Promise<T>,
  outside: Outside = {},
): Promise<T> {
  return await withStores(
    io,
    async ({ config, stores }) => await run(await openCore(stores, config, outside)),
  )
}

/** For what concerns the directory only. */
export async function withAccounts<T>(
  io: Io,
  run: (part: AccountsPart, core: Core) => Promise<T>,
): Promise<T> {
  return await withCore(io, async (core) => await run(await createAccountsPart(core), core))
}

/** For the data of an organization, with the services of the cell that it is in. */
export async function withAccountsOf<T>(
  io: Io,
  orgId: string | undefined,
  run: (part: AccountsPart, core: Core) => Promise<T>,
): Promise<T> {
  return await withCore(io, async (core) => {
    const own = await coreOf(core, orgId)
    return await run(await createAccountsPart(own), own)
  })
}

/**
 * @param orgId undefined for all organizations, which only an installation with one cell has in one place
 * @throws OperatorError when its cell cannot be used
 */
export async function coreOf(core: Core, orgId: string | undefined): Promise<Core> {
  if (core.cells.length === 0) return core
  if (orgId === undefined) {
    throw new CommandError('Name the organization with --org: this installation has several cells')
  }
  const name = isUuid(orgId) ? await findCellOf(core.directory, orgId) : undefined
  const cell = core.cells.find((each) => each.name === name)
  if (!cell) return core
  await cell.usable()
  return coreOfCell(core, cell)
}

/** The handles of all cells that can be used, the main one first, for what is found by its id alone. */
export async function databasesOf({ db, cells }: Pick<Core, 'db' | 'cells'>): Promise<Database[]> {
  for (const cell of cells) await cell.usable()
  return [db, ...cells.map((cell) => cell.db)]
}

/** @throws CommandError when the organization does not exist */
export async function requireOrganization(
  { accounts }: Pick<AccountsPart, 'accounts'>,
  orgId: string,
): Promise<Organization> {
  const organization = await accounts.findOrganization(orgId)
  if (!organization) throw new CommandError(`Organization ${orgId} does not exist`)
  return organization
}
