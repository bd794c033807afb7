/**
 * The embedded PostgreSQL: a real server in a child process on a Unix socket under the data
 * directory, shared by every Vigil process that uses that directory (service, CLI commands), and
 * stopped when the last of them is gone. A server that dies is started again.
 */
import { closeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdPipe } from '../../embedded/watchdog.ts'
import { reasonOf } from '../../operator-error.ts'
import { SUPERUSER } from './cluster.ts'
import { isAlive, isStopping } from './lock-file.ts'
import { type Place, PORT, preparePlace } from './place.ts'
import { ensureRunning } from './start.ts'

export type PostgresAddress = { host: string; port: number; user: string; database: string }

export type EmbeddedPostgres = {
  address: PostgresAddress
  /** Lets go of the server; it stops when nobody else holds it. */
  release(): void
  /** After `release`: resolves when the server is gone, or at once when others hold it. */
  stopped(): Promise<void>
}

export type EmbeddedOptions = {
  data_dir: string
  /** Told what is being done when it takes more than a moment. */
  progress: (step: string) => void
  /** Extra server settings (`name=value`), for tests and benchmarks. */
  settings?: string[]
}

const WATCH_INTERVAL_MS = 200
const RETRY_DELAY_MS = 1000
/** In this time the watchdog of a server without users has told it to stop. */
const NOTICE_MS = 150
const STOP_DEADLINE_MS = 8000
const POLL_MS = 10

/** @throws OperatorError when the server cannot be started */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = preparePlace(options.data_dir, options.progress)
  const address = {
    host: place.socket_folder,
    port: PORT,
    user: SUPERUSER,
    database: 'vigil',
  }
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

/** Starts the server again when it dies, until the signal; never rejects. */
async function keepRunning(
  { cluster }: Place,
  ensure: () => Promise<void>,
  progress: (step: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(WATCH_INTERVAL_MS, undefined, { ref: false, signal }).catch(() => undefined)
    if (signal.aborted || isAlive(cluster)) continue
    progress('The embedded PostgreSQL stopped unexpectedly; starting it again')
    try {
      await ensure()
    } catch (error) {
      progress(`${reasonOf(error)}. Trying again`)
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
