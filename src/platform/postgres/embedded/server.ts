/**
 * The embedded PostgreSQL: a real server in a child process on a Unix socket under the data
 * directory. Every Vigil process that uses the directory shares it (service, CLI commands); it stops
 * with the last of them and is restarted when it dies.
 */
import { closeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdPipe } from '../../embedded/watchdog.ts'
import { reasonOf } from '../../operator-error.ts'
import { SUPERUSER } from './cluster.ts'
import { isAlive, isStopping } from './lock-file.ts'
import { type Place, PORT, type PostgresAddress, preparePlace } from './place.ts'
import { ensureRunning } from './start.ts'

export type EmbeddedPostgres = {
  address: PostgresAddress
  /** Releases the server, which stops if no other process uses it. */
  release(): void
  /** After `release`, resolves when the server has stopped, or immediately if others use it. */
  stopped(): Promise<void>
}

export type EmbeddedOptions = {
  data_dir: string
  /** Called with the current step when it takes more than a moment. */
  progress: (step: string) => void
  /** Extra server settings (`name=value`), for tests and benchmarks. */
  settings?: string[]
}

const WATCH_INTERVAL_MS = 200
const RETRY_DELAY_MS = 1000
/** Within this time the watchdog of a server without users has signaled it to stop. */
const NOTICE_MS = 150
const STOP_DEADLINE_MS = 8000
const POLL_MS = 10

/** @throws OperatorError if the server cannot be started */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = preparePlace(options.data_dir, options.progress)
  const address = addressIn(place)
  const pipe = holdPipe(place.pipe, place.account)
  const released = new AbortController()
  const release = () => {
    if (released.signal.aborted) return
    released.abort()
    closeSync(pipe)
    place.close()
  }
  const ensure = () => ensureRunning({ place, address, ...options, pipe, signal: released.signal })
  try {
    await ensure()
  } catch (error) {
    release()
    throw error
  }
  void keepRunning(place, ensure, options.progress, released.signal)
  return { address, release, stopped: () => untilStopped(place.cluster) }
}

/** Uses the server that another process keeps running. */
export function joinEmbeddedPostgres({ data_dir, progress }: EmbeddedOptions): EmbeddedPostgres {
  const place = preparePlace(data_dir, progress)
  return { address: addressIn(place), release: place.close, stopped: () => Promise.resolve() }
}

const addressIn = ({ socket_folder }: Place): PostgresAddress => ({
  host: socket_folder,
  port: PORT,
  user: SUPERUSER,
  database: 'vigil',
})

/** Restarts the server whenever it dies, until the abort. Never rejects. */
async function keepRunning(
  { cluster }: Place,
  ensure: () => Promise<void>,
  progress: (step: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(WATCH_INTERVAL_MS, undefined, { ref: false, signal }).catch(() => undefined)
    if (signal.aborted || isAlive(cluster)) continue
    progress('The embedded PostgreSQL stopped unexpectedly; restarting it')
    try {
      await ensure()
    } catch (error) {
      progress(`${reasonOf(error)}. Retrying`)
      await sleep(RETRY_DELAY_MS, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }
}

async function untilStopped(cluster: string): Promise<void> {
  const start = performance.now()
  const isWorthWaiting = () =>
    isAlive(cluster) &&
    performance.now() - start < (isStopping(cluster) ? STOP_DEADLINE_MS : NOTICE_MS)
  while (isWorthWaiting()) await sleep(POLL_MS)
}
