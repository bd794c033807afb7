/**
 * The embedded PostgreSQL: a real server in a child process on a Unix socket under the data
 * directory, shared by every Vigil process that uses that directory (service, CLI commands), and
 * stopped when the last of them is gone. A server that dies is started again.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { canReach, type ServerAccount, serverAccount } from './account.ts'
import { preparePostgresBinaries } from './binaries.ts'
import { ensureCluster, makeServerFolder, SUPERUSER } from './cluster.ts'
import { holdPipe, spawnWatched } from './watchdog.ts'

export type PostgresAddress = { host: string; port: number; user: string; database: string }

export type EmbeddedPostgres = {
  address: PostgresAddress
  /** Lets go of the server; it stops when nobody else holds it. */
  release(): void
}

export type EmbeddedOptions = {
  data_dir: string
  /** Told what is being done when it takes more than a moment. */
  progress: (step: string) => void
  /** Extra server settings (`name=value`), for tests and benchmarks. */
  settings?: string[]
}

const PORT = 5432
const START_DEADLINE_MS = 60_000
const WATCH_INTERVAL_MS = 200
const LOG_FILE_MAX_BYTES = 10_000_000
/** Longest path of a Unix socket on Linux (108 with its terminator); macOS allows 104. */
const SOCKET_PATH_MAX_BYTES = 103

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = preparePlace(options.data_dir)
  const pipe = holdPipe(place.pipe, place.account)
  const address = { host: place.run, port: PORT, user: SUPERUSER, database: 'vigil' }
  const ensure = () => ensureRunning(place, address, options)
  try {
    await ensure()
  } catch (error) {
    closeSync(pipe)
    throw error
  }

  let restarting = false
  const watch = setInterval(() => {
    if (restarting || isAlive(place.cluster)) return
    restarting = true
    options.progress('The embedded PostgreSQL stopped unexpectedly; starting it again')
    ensure()
      .catch((error: unknown) => options.progress(`PostgreSQL did not start: ${String(error)}`))
      .finally(() => {
        restarting = false
      })
  }, WATCH_INTERVAL_MS)
  watch.unref()

  return {
    address,
    release: () => {
      clearInterval(watch)
      closeSync(pipe)
    },
  }
}

type Place = {
  binaries: string
  cluster: string
  run: string
  pipe: string
  logFile: string
  account: ServerAccount | undefined
}

function preparePlace(dataDir: string): Place {
  const folder = resolve(dataDir)
  const account = serverAccount()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The server's own account has to pass through, but not to look around.
  if (account && !canReach(account, folder)) chmodSync(folder, statSync(folder).mode | 0o011)
  if (!canReach(account, folder)) throw new Error(unreachable(folder, account))

  const run = socketFolder(folder)
  makeServerFolder(run, account)
  const logFile = join(run, 'postgres.log')
  if (existsSync(logFile) && statSync(logFile).size > LOG_FILE_MAX_BYTES) truncateSync(logFile)
  return {
    binaries: preparePostgresBinaries(folder, (path) => canReach(account, path)),
    cluster: join(folder, 'postgres'),
    run,
    pipe: join(run, 'users'),
    logFile,
    account,
  }
}

function unreachable(folder: string, account: ServerAccount | undefined): string {
  return `PostgreSQL refuses to run as root, and the account ${account?.name ?? ''} that runs it instead cannot enter ${dirname(folder)}. Set VIGIL_DATA_DIR to a folder that others may pass through (for example /var/lib/vigil), or start Vigil as an ordinary user.`
}

function socketFolder(dataDir: string): string {
  const folder = join(dataDir, 'run')
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_MAX_BYTES) return folder
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(tmpdir(), `vigil-${hash}`)
}

async function ensureRunning(
  place: Place,
  address: PostgresAddress,
  options: EmbeddedOptions,
): Promise<void> {
  if (await isAnswering(address, options)) return
  if (!existsSync(join(place.cluster, 'PG_VERSION'))) {
    options.progress('Preparing the embedded PostgreSQL (once, a few seconds)')
    await ensureCluster(place.binaries, place.cluster, place.account)
  }
  const deadline = Date.now() + START_DEADLINE_MS
  while (Date.now() < deadline) {
    // A server that another process is starting or stopping makes this attempt exit; try again.
    let exited = false
    spawnWatched(serverCommand(place, options), place.pipe, place.logFile, place.account).once(
      'exit',
      () => {
        exited = true
      },
    )
    while (!exited && Date.now() < deadline) {
      if (await isAnswering(address, options)) return
      await sleep(25)
    }
    if (await isAnswering(address, options)) return
    await sleep(100)
  }
  throw new Error(`The embedded PostgreSQL did not start; see ${place.logFile}`)
}

function serverCommand(place: Place, options: EmbeddedOptions): string[] {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${place.run}`,
    'unix_socket_permissions=0700',
    `port=${PORT}`,
    'max_connections=100',
    'shared_buffers=128MB',
    'wal_compression=on',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    ...(options.settings ?? []),
  ]
  const postgres = join(place.binaries, 'bin', 'postgres')
  return [postgres, '-D', place.cluster, ...settings.flatMap((setting) => ['-c', setting])]
}

/** Connects once; makes the database on the way if the cluster is new. */
async function isAnswering(address: PostgresAddress, options: EmbeddedOptions): Promise<boolean> {
  if (!existsSync(join(address.host, `.s.PGSQL.${PORT}`))) return false
  const failure = await tryConnect(address)
  if (failure === undefined) return true
  if (failure !== 'database_missing') return false
  options.progress('Creating the database')
  const failureToCreate = await tryConnect(
    { ...address, database: 'postgres' },
    `CREATE DATABASE ${address.database}`,
  )
  return failureToCreate === undefined || (await tryConnect(address)) === undefined
}

async function tryConnect(
  address: PostgresAddress,
  statement = 'SELECT 1',
): Promise<'database_missing' | 'unreachable' | undefined> {
  const client = new Client({ ...address, connectionTimeoutMillis: 5000 })
  // Without a listener, a server that goes away in between would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(statement)
    return undefined
  } catch (error) {
    const { code } = error as { code?: string }
    return code === '3D000' ? 'database_missing' : 'unreachable'
  } finally {
    await client.end().catch(() => undefined)
  }
}

function isAlive(cluster: string): boolean {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
