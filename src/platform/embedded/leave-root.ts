/**
 * Gives up root for good. The process continues as the owner of its data directory, or as the account
 * `vigil`, to which a directory that root used before is handed over.
 */
import {
  chmodSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError, reasonOf } from '../operator-error.ts'
import { installationFolder, packageRoot, WORKING_FOLDER } from '../package-root.ts'
import { preparePostgresBinaries, SYSTEM_FOLDER } from '../postgres/embedded/binaries.ts'
import { isAlive, removeStaleLocks } from '../postgres/embedded/lock-file.ts'
import { canReach, isOpenTo, type ServerAccount, serverAccount } from './account.ts'
import { openProgram, type Program } from './program.ts'

/** Entries that show that a folder is a data directory. */
const OWN_ENTRIES = [
  'postgres',
  'clickhouse',
  'run',
  'master.key',
  'android-management',
  'receiver',
  'demo.json',
  'demo.lock',
]

export type DataFolder = {
  path: string
  /** Used if `path` does not exist and is in a folder that only root can enter. */
  otherwise: string | undefined
  /** Part of both paths that the setting of the data directory does not have. */
  suffix?: string
}

export type LeaveRootOptions = {
  /** Whether the program is going to run the embedded PostgreSQL. */
  embedded_postgres: boolean
  /** Called before a step that takes more than a moment. */
  progress: (step: string) => void
}

export type LeftRoot = {
  data_dir: string
  /** Set if this process cannot load anything more of the program, which has to be run again. */
  again: Program | undefined
}

/**
 * @throws OperatorError if there is no account, or it cannot use the folders
 */
export function leaveRoot(wanted: DataFolder, options: LeaveRootOptions): LeftRoot {
  const unchanged = { data_dir: wanted.path, again: undefined }
  if (process.getuid?.() !== 0) return unchanged
  const folder = chooseFolder(wanted)
  const account = serverAccount(folder)
  if (!account) return unchanged
  const root = packageRoot()
  requireReadable(account, root)
  createFolder(folder)
  try {
    handOver(folder, account)
    if (options.embedded_postgres) preparePrograms(account, folder, options.progress)
    const program = openProgram(account)
    if (!program.is_open) process.chdir(program.working_folder)
    process.setgroups?.([])
    process.setgid?.(account.gid)
    process.setuid?.(account.uid)
    return { data_dir: folder, again: program.is_open ? undefined : program }
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(
      `Vigil does not run as root, and could not continue as the account ${account.name}: ${reasonOf(cause)}. Start it as another user.`,
      { cause },
    )
  }
}

function chooseFolder({ path, otherwise }: DataFolder): string {
  const account = serverAccount(path)
  if (!account || canReach(account, nearestExisting(path))) return path
  if (otherwise !== undefined && !existsSync(path)) return otherwise
  throw new OperatorError(
    `Vigil does not run as root, and the account ${account.name} that it runs as cannot enter the folder of the data directory ${path}. Move the data directory to a folder that other users can enter, such as /var/lib/vigil, and set VIGIL_DATA_DIR to it.`,
  )
}

/** The data directory itself is handed over, so only the folders above it count. */
function nearestExisting(path: string): string {
  let folder = dirname(path)
  while (!existsSync(folder) || !statSync(folder).isDirectory()) {
    folder = dirname(folder)
  }
  return folder
}

/** Other users can enter the folders above the data directory, also with a strict umask. */
function createFolder(folder: string): void {
  try {
    const created = mkdirSync(folder, { recursive: true })
    if (created === undefined) return
    for (let path = dirname(folder); path.length >= created.length; path = dirname(path)) {
      chmodSync(path, 0o755)
    }
    chmodSync(folder, 0o700)
  } catch (cause) {
    throw new OperatorError(
      `The data directory ${folder} cannot be used: ${reasonOf(cause)}. Set VIGIL_DATA_DIR to another folder.`,
      { cause },
    )
  }
}

/** The account may write neither links into the installed package nor a copy of it. */
function preparePrograms(
  account: ServerAccount,
  folder: string,
  progress: (step: string) => void,
): void {
  preparePostgresBinaries({
    copy_folders: [folder, SYSTEM_FOLDER],
    isReachable: (path) => canReach(account, path),
    progress,
  })
}

/**
 * Changes the owner of a data directory. A folder gets its owner after its contents, so that an
 * interrupted start is completed by the next one.
 */
export function handOver(folder: string, { uid, gid }: ServerAccount): void {
  const names = readdirSync(folder)
  const isForeign = lstatSync(folder).uid === 0 && names.length > 0
  if (isForeign && !names.some((name) => OWN_ENTRIES.includes(name))) {
    throw new OperatorError(
      `The folder ${folder} belongs to root and contains files of other programs (${names[0]}). Set VIGIL_DATA_DIR to an empty or new folder.`,
    )
  }
  const others = names.filter((name) => lstatSync(join(folder, name)).uid !== uid)
  if (others.some((name) => name === 'postgres' || name === 'clickhouse') && isServed(folder)) {
    throw new OperatorError(
      `The data directory ${folder} is in use by a Vigil that runs as root. Stop it first.`,
    )
  }
  for (const name of others) changeOwner(join(folder, name), uid, gid)
  if (lstatSync(folder).uid !== uid) lchownSync(folder, uid, gid)
}

function isServed(folder: string): boolean {
  const cluster = join(folder, 'postgres')
  removeStaleLocks(cluster, join(folder, 'run', '.s.PGSQL.5432'))
  return isAlive(cluster)
}

function changeOwner(path: string, uid: number, gid: number): void {
  const facts = lstatSync(path)
  if (facts.isDirectory()) {
    for (const name of readdirSync(path)) changeOwner(join(path, name), uid, gid)
  }
  if (facts.uid !== uid) lchownSync(path, uid, gid)
}

/** A strict umask during the installation denies the account access to the program itself. */
function requireReadable(account: ServerAccount, root: string): void {
  const isPossible = canReach(account, root) || existsSync(WORKING_FOLDER)
  const installation = installationFolder(root)
  const folders = [root, join(root, 'node_modules'), join(installation, 'node_modules')]
  const file = join(root, 'package.json')
  const closed =
    folders.find((path) => existsSync(path) && !isOpenTo(account, statSync(path))) ??
    (isOpenTo(account, statSync(file), constants.R_OK) ? undefined : file)
  if (isPossible && closed === undefined) return
  throw new OperatorError(
    `Vigil does not run as root, and the account ${account.name} that it runs as cannot read ${closed ?? root}. Install Vigil where other users can read it, or start it as another user.`,
  )
}
