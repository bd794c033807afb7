/** Ensures that the server runs and answers, no matter which process starts it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { faultsInLog, logEnd } from '../../embedded/log-file.ts'
import { callWatchdog, spawnWatched, stopMark } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { ensureCluster, hasCluster } from './cluster.ts'
import { isAlive, removeStaleLocks, serverPid } from './lock-file.ts'
import { type Place, PORT, type PostgresAddress } from './place.ts'
import { probe, type ServerState } from './probe.ts'

export type StartOptions = {
  place: Place
  address: PostgresAddress
  progress: (step: string) => void
  settings?: string[]
  /** Descriptor of the named pipe, which registers this process as a user of the server. */
  pipe: number
  /** Aborted when this process no longer needs the server. */
  signal: AbortSignal
}

/** Deadline without any response of the server. */
const START_DEADLINE_MS = 60_000
/** Deadline of a server that responds: after a crash under load it replays its log first. */
const RECOVERY_DEADLINE_MS = 900_000
/** A marked server that still answers after this long is not going to stop. */
const STOPPING_DEADLINE_MS = 2000
const SLOW_MS = 1000
const POLL_MS = 25
const RETRY_DELAY_MS = 100
/** Maximum number of consecutive attempts that end although no other server is running. */
const FAILURES_MAX = 4

export async function ensureRunning(options: StartOptions): Promise<void> {
  const { place, address, progress } = options
  const socket = join(place.run, `.s.PGSQL.${PORT}`)
  const readState = async (): Promise<ServerState> =>
    existsSync(socket) ? await probe(address, progress) : 'down'
  if (await isStayingUp(options, readState)) return
  if (!hasCluster(place.cluster)) {
    progress('Preparing the embedded PostgreSQL (once, a few seconds)')
    await ensureCluster(place)
  }
  const logStart = logEnd(place.log)
  const patience = createPatience(options)
  let failures = 0
  while (patience.lasts()) {
    removeStaleLocks(place.cluster, socket)
    if ((await attempt(options, readState, patience)) === 'ready') return
    // While another process starts or stops a server, attempts end without being failures.
    failures = isAlive(place.cluster) ? 0 : failures + 1
    if (failures === FAILURES_MAX) break
    await sleep(RETRY_DELAY_MS)
  }
  if (options.signal.aborted) return
  throw new OperatorError(
    `The embedded PostgreSQL did not start. ${faultsInLog(place.log, logStart)}`,
  )
}

/** A server that answers may still be stopping, because its last user has just ended. */
async function isStayingUp(
  { place, pipe }: StartOptions,
  readState: () => Promise<ServerState>,
): Promise<boolean> {
  const pid = serverPid(place.cluster)
  if (pid === undefined || (await readState()) !== 'ready') return false
  const deadline = performance.now() + STOPPING_DEADLINE_MS
  while (existsSync(stopMark(place.pipe, pid)) && performance.now() < deadline) {
    callWatchdog(pipe)
    await sleep(POLL_MS)
    if ((await readState()) !== 'ready') return false
  }
  return true
}

async function attempt(
  options: StartOptions,
  readState: () => Promise<ServerState>,
  patience: Patience,
): Promise<ServerState> {
  let state = await readState()
  // While a server is starting or stopping, another one must not be started.
  if (state !== 'down') {
    patience.update(state)
    return state
  }
  const server = spawnWatched(serverCommand(options), options.place)
  const hasEnded = server.ended.then(() => true)
  hasEnded.catch(() => undefined)
  while (state !== 'ready' && patience.lasts()) {
    // Rejects here if the program could not be run at all.
    if (await Promise.race([hasEnded, sleep(POLL_MS, false)])) return await readState()
    state = await readState()
    patience.update(state)
  }
  server.detach()
  return state
}

type Patience = { lasts(): boolean; update(state: ServerState): void }

function createPatience({ progress, signal }: StartOptions): Patience {
  const start = performance.now()
  let lastResponse = start
  let isAnnounced = false
  return {
    lasts: () =>
      !signal.aborted &&
      performance.now() - lastResponse < START_DEADLINE_MS &&
      performance.now() - start < RECOVERY_DEADLINE_MS,
    update: (state) => {
      if (state === 'busy') lastResponse = performance.now()
      if (isAnnounced || performance.now() - start < SLOW_MS) return
      isAnnounced = true
      progress('Waiting for the embedded PostgreSQL; after a crash it replays its log first')
    },
  }
}

function serverCommand({ place, settings = [] }: StartOptions): string[] {
  const all = [
    'listen_addresses=',
    `unix_socket_directories=${place.for_server.run}`,
    'unix_socket_permissions=0700',
    `port=${PORT}`,
    'max_connections=100',
    'shared_buffers=128MB',
    'wal_compression=on',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    ...settings,
  ]
  const postgres = join(place.binaries, 'bin', 'postgres')
  return [postgres, '-D', place.for_server.cluster, ...all.flatMap((item) => ['-c', item])]
}
