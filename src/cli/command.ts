/**
 * Shared by all commands: access to the settings and the database, which may be that of a running
 * service, and output as text or, with `--json`, as one JSON object.
 */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type AccountsPart, createAccountsPart } from '../app/accounts.ts'
import { chooseDataDir, SYSTEM_DATA_DIR } from '../app/data-dir.ts'
import { type Core, type Outside, openCore } from '../app/index.ts'
import { openStores, type Stores } from '../app/stores.ts'
import { type Config, readConfig } from '../config.ts'
import type { Organization } from '../modules/accounts/index.ts'
import { type DataFolder, leaveRoot } from '../platform/embedded/leave-root.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { runAgain } from './run-again.ts'

export type Io = {
  working_folder: string
  /** Whether what is printed reaches a person and is not stored, as in a journal. */
  is_terminal?: boolean
  /** Set in the program, which can give up root before it uses the data directory. */
  leaveRoot?: typeof leaveRoot
  environment: Record<string, string | undefined>
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** Prompts the user; undefined without a terminal. */
  ask?: (question: string) => Promise<string>
}

/** A mistake of the caller. Only its message is printed, without a stack. */
export class CommandError extends OperatorError {}

/** The command has already printed its failure, so only the exit status is left to set. */
export class ReportedFailure extends Error {}

/** Without the environment, which the entry point reads so that it can report errors in it. */
export function systemIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
  return {
    working_folder: process.cwd(),
    is_terminal: process.stdout.isTTY,
    leaveRoot,
    environment: {},
    stdout: (text) => process.stdout.write(`${text}\n`),
    stderr: (text) => process.stderr.write(`${text}\n`),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  }
}

/** The question goes to stderr, because stdout is for the result. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** @throws CommandError unless the user answers with yes */
export async function confirm({ ask: askUser }: Io, question: string): Promise<void> {
  if (!askUser) throw new CommandError(`${question} Confirm with --yes`)
  const answer = await askUser(`${question} (yes/no) `)
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed')
}

/** A reader that closes the pipe early (`vigil key list | head -1`) is not an error. */
function endWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error
  process.exitCode ??= 0
}

export type Options = { json?: boolean }

/** `json` is the whole result, `lines` the same as text. */
export type Output = { json: object; lines: string[] }

/** Gives a command the `--json` option and an action whose result is printed. */
export function setAction<O extends Options>(
  command: Command,
  io: Io,
  action: (options: O, ...args: string[]) => Promise<Output>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .action(async (...parameters: unknown[]) => {
      // Commander passes the arguments, then the options, then the command itself.
      const options = parameters.at(-2) as O
      const args = parameters.slice(0, -2) as string[]
      const { json, lines } = await action(options, ...args)
      if (options.json) io.stdout(JSON.stringify(json))
      else for (const line of lines) io.stdout(line)
    })
}

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
  if (!io.leaveRoot) return folder.path
  const { data_dir, again } = io.leaveRoot(folder, { embedded_postgres, progress: io.stderr })
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

export async function withAccounts<T>(
  io: Io,
  run: (part: AccountsPart, core: Core) => Promise<T>,
): Promise<T> {
  return await withCore(io, async (core) => await run(await createAccountsPart(core), core))
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
