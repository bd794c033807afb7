/** Brings the server of a place up, whoever starts it, and waits until it answers. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { faultsInLog, logEnd } from '../../embedded/log-file.ts'
import { callWatchdog, spawnWatched, stopMark } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { ensureCluster, isClusterThere } from './cluster.ts'
import { isAlive, removeStaleLocks, serverPid } from './lock-file.ts'
import { type Place, PORT } from './place.ts'
import { probe, type ServerState } from './probe.ts'
import type { PostgresAddress } from './server.ts'

export type StartOptions = {
  place: Place
  address: PostgresAddress
  progress: (step: string) => void
  settings?: string[]
  /** Descriptor of the named pipe, which makes this process a user. */
  pipe: number
  /** Aborted when nobody wants the server any more. */
  signal: AbortSignal
}

/** Without any sign of life. */
const START_DEADLINE_MS = 60_000
/** With one: a server that was killed under load replays its log first. */
const RECOVERY_DEADLINE_MS = 900_000
/** A server that still answers after this long is not going to stop. */
const STOPPING_DEADLINE_MS = 2000
const SLOW_MS = 1000
const POLL_MS = 25
const RETRY_DELAY_MS = 100
/** Attempts that end although no other server is there. */
const FAILURES_MAX = 4

export async function ensureRunning(options: StartOptions): Promise<void> {
  const { place, address, progress } = options
  const socket = join(place.run, `.s.PGSQL.${PORT}`)
  const look = async (): Promise<ServerState> =>
    existsSync(socket) ? await probe(address, progress) : 'away'
  if (await isHereToStay(options, look)) return
  if (!isClusterThere(place.cluster)) {
    progress('Preparing the embedded PostgreSQL (once, a few seconds)')
    await ensureCluster(place)
  }
  const logStart = logEnd(place.log)
  const patience = createPatience(options)
  let failures = 0
  while (patience.lasts()) {
    removeStaleLocks(place.cluster, socket)
    if ((await attempt(options, look, patience)) === 'ready') return
    // Beside a server that another process starts or stops, an attempt has to end.
    failures = isAlive(place.cluster) ? 0 : failures + 1
    if (failures === FAILURES_MAX) break
    await sleep(RETRY_DELAY_MS)
  }
  if (options.signal.aborted) return
  throw new OperatorError(
    `The embedded PostgreSQL did not start. ${faultsInLog(place.log, logStart)}`,
  )
}

/** A server that answers may be about to stop because its last user has just gone. */
async function isHereToStay(
  { place, pipe }: StartOptions,
  look: () => Promise<ServerState>,
): Promise<boolean> {
  const pid = serverPid(place.cluster)
  if (pid === undefined || (await look()) !== 'ready') return false
  const deadline = performance.now() + STOPPING_DEADLINE_MS
  while (existsSync(stopMark(place.pipe, pid)) && performance.now() < deadline) {
    callWatchdog(pipe)
    await sleep(POLL_MS)
    if ((await look()) !== 'ready') return false
  }
  return true
}

async function attempt(
  options: StartOptions,
  look: () => Promise<ServerState>,
  patience: Patience,
): Promise<ServerState> {
  let state = await look()
  // One that is busy starting or stopping is nobody to start another beside.
  if (state !== 'away') {
    patience.note(state)
    return state
  }
  const server = spawnWatched(serverCommand(options), options.place)
  const hasEnded = server.ended.then(() => true)
  hasEnded.catch(() => undefined)
  while (state !== 'ready' && patience.lasts()) {
    // A rejection, when it could not be run at all, comes out here.
    if (await Promise.race([hasEnded, sleep(POLL_MS, false)])) return await look()
    state = await look()
    patience.note(state)
  }
  server.detach()
  return state
}

type Patience = { lasts(): boolean; note(state: ServerState): void }

function createPatience({ progress, signal }: StartOptions): Patience {
  const start = performance.now()
  let lastSign = start
  let isAnnounced = false
  return {
    lasts: () =>
      !signal.aborted &&
      performance.now() - lastSign < START_DEADLINE_MS &&
      performance.now() - start < RECOVERY_DEADLINE_MS,
    note: (state) => {
      if (state === 'busy') lastSign = performance.now()
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
