/**
 * Where the embedded PostgreSQL keeps its files, and under which names the server and its clients
 * reach them. Usually these are the plain paths. Where the server's account cannot walk to the data
 * directory, or the path of the socket would be too long, the folder is named by a file descriptor
 * that the server inherits (`/proc/self/fd/N`), which needs no walking and is short.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { canReach, isOpenTo, type ServerAccount, serverAccount } from '../../embedded/account.ts'
import { INHERITED_FD } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { preparePostgresBinaries } from './binaries.ts'

export type Files = {
  cluster: string
  /** Folder of the socket. */
  run: string
  /** Named pipe that all users hold open. */
  pipe: string
  log: string
}

export type Place = Files & {
  name: string
  account: ServerAccount | undefined
  binaries: string
  /** The same files under the names that the server can use. */
  for_server: Files
  /** What clients connect to. */
  socket_folder: string
  /** The data directory, for the server to inherit; undefined where plain paths do. */
  folder_fd: number | undefined
  close(): void
}

export const PORT = 5432

const LOG_FILE_MAX_BYTES = 10_000_000
/** Longest path of a Unix socket on Linux (108 with its terminator); macOS allows 104. */
const SOCKET_PATH_MAX_BYTES = 103
const DESCRIPTORS = '/proc/self/fd'
/** For a copy of the server's programs when the data directory cannot hold it; never for data. */
const SYSTEM_FOLDER = '/var/lib/vigil'

export function preparePlace(dataDir: string, progress: (step: string) => void): Place {
  const folder = resolve(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const account = serverAccount(join(folder, 'postgres'))
  // The server's own account has to pass through, but not to look around.
  if (account && !isOpenTo(account, statSync(folder))) {
    chmodSync(folder, statSync(folder).mode | 0o011)
  }
  const isPlain = canReach(account, folder) && isSocketShort(join(folder, 'run'))
  const byDescriptor = !isPlain && existsSync(DESCRIPTORS)
  if (!byDescriptor && !canReach(account, folder)) throw unreachable(folder, account)

  const run = isPlain || byDescriptor ? join(folder, 'run') : temporaryFolder(folder, account)
  makeServerFolder(run, account)
  const files = filesOf(folder, run)
  limitLog(files.log)
  const folderFd = byDescriptor ? openSync(folder, 'r') : undefined
  const seen = `${DESCRIPTORS}/${INHERITED_FD}`
  return {
    ...files,
    name: 'PostgreSQL',
    account,
    binaries: preparePostgresBinaries({
      copy_folders: [folder, SYSTEM_FOLDER],
      isReachable: (path) => canReach(account, path),
      progress,
    }),
    for_server: byDescriptor ? filesOf(seen, join(seen, 'run')) : files,
    socket_folder: folderFd === undefined ? run : join(DESCRIPTORS, String(folderFd), 'run'),
    folder_fd: folderFd,
    close: () => {
      if (folderFd !== undefined) closeSync(folderFd)
    },
  }
}

const filesOf = (folder: string, run: string): Files => ({
  cluster: join(folder, 'postgres'),
  run,
  pipe: join(run, 'users'),
  log: join(run, 'postgres.log'),
})

const isSocketShort = (run: string): boolean =>
  Buffer.byteLength(join(run, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_MAX_BYTES

/** For long paths where there is no /proc. Others may write beside it, so it must be ours. */
function temporaryFolder(dataDir: string, account: ServerAccount | undefined): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `vigil-${hash}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const facts = lstatSync(folder)
  const isOurs = [process.getuid?.(), account?.uid].includes(facts.uid)
  if (facts.isDirectory() && isOurs) return folder
  throw new OperatorError(
    `${folder} belongs to somebody else. Set VIGIL_DATA_DIR to a shorter path.`,
  )
}

/** A folder that only the server's account can enter. */
export function makeServerFolder(folder: string, account: ServerAccount | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
}

function limitLog(file: string): void {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts?.isFile() && facts.size > LOG_FILE_MAX_BYTES) truncateSync(file)
}

function unreachable(folder: string, account: ServerAccount | undefined): OperatorError {
  return new OperatorError(
    `PostgreSQL refuses to run as root, and the account ${account?.name ?? ''} that runs it instead cannot enter ${dirname(folder)}. Set VIGIL_DATA_DIR to a folder that others may pass through (for example /var/lib/vigil), or start Vigil as an ordinary user.`,
  )
}
