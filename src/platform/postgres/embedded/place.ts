/**
 * File locations of the embedded PostgreSQL, and the paths under which the server and its clients
 * reach them. Usually these are the plain paths. If the path of the socket would be too long, the folder
 * is named by a file descriptor that the server inherits (`/proc/self/fd/N`), which is short.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { canReach, type ServerAccount } from '../../embedded/account.ts'
import { makeServerFolder, prepareDataDir } from '../../embedded/folders.ts'
import { limitLog } from '../../embedded/log-file.ts'
import { INHERITED_FD } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { preparePostgresBinaries, SYSTEM_FOLDER } from './binaries.ts'

export type PostgresAddress = { host: string; port: number; user: string; database: string }

export type Files = {
  cluster: string
  /** Folder of the socket. */
  run: string
  /** Named pipe that every process using the server holds open. */
  pipe: string
  log: string
}

export type Place = Files & {
  name: string
  account: ServerAccount | undefined
  binaries: string
  /** The same files under the paths that the server can use. */
  for_server: Files
  /** Folder of the socket for clients. */
  socket_folder: string
  /** Descriptor of the data directory for the server to inherit; undefined if plain paths work. */
  inherited: number | undefined
  close(): void
}

export const PORT = 5432

/** Longest path of a Unix socket on Linux (108 with its terminator); macOS allows 104. */
const SOCKET_PATH_MAX_BYTES = 103
const DESCRIPTORS = '/proc/self/fd'

export function preparePlace(dataDir: string, progress: (step: string) => void): Place {
  const folder = resolve(dataDir)
  const account = prepareDataDir(folder)
  const isPlain = isSocketShort(join(folder, 'run'))
  const byDescriptor = !isPlain && existsSync(DESCRIPTORS)
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
    inherited: folderFd,
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

/** For long paths without /proc. Other users can write to its parent, so it must be ours. */
function temporaryFolder(dataDir: string, account: ServerAccount | undefined): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `vigil-${hash}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const facts = lstatSync(folder)
  const isOurs = [process.getuid?.(), account?.uid].includes(facts.uid)
  if (facts.isDirectory() && isOurs) return folder
  throw new OperatorError(
    `${folder} belongs to another user. Set VIGIL_DATA_DIR to a shorter path.`,
  )
}
