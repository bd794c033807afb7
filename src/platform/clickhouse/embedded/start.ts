/**
 * Makes sure that one process of the embedded engine runs and answers, whoever started it. Several
 * Vigil processes may do this at the same time, and one that is about to stop may be in the way; the
 * engine's own lock of its directory decides who serves it, the others keep trying for a while.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logEnd } from '../../embedded/log-file.ts'
import { callWatchdog, spawnWatched, stopMark } from '../../embedded/watchdog.ts'
import { OperatorError } from '../../operator-error.ts'
import { packageRoot } from '../../package-root.ts'
import type { Limits } from './chdb-config.ts'
import { type ChildOptions, THREAD_POOL_SIZE } from './child-options.ts'
import { adviceFor, type Failure, failureOf } from './failure.ts'
import { type Place, preparePlace } from './place.ts'
import { probe } from './probe.ts'
import { type EngineState, isRunning, readState } from './state-file.ts'

export type StartOptions = {
  place: Place
  limits: Limits
  /** Descriptor of the named pipe, which makes this process a user. */
  pipe: number
  /** Aborted when nobody wants the engine any more. */
  signal: AbortSignal
  /** How long a directory that is in use may be waited for. */
  lock_patience_ms?: number
}

/** Many large tables take their time to be loaded. */
const START_DEADLINE_MS = 120_000
/** An engine that was told to stop gets 5 s for its work; then its directory is free. */
const LOCK_PATIENCE_MS = 10_000
/** One that still answers after this long is not going to stop. */
const STOPPING_DEADLINE_MS = 2000
const POLL_MS = 25
const RETRY_DELAY_MS = 150

/** @throws OperatorError when it cannot be started; undefined when it is not wanted any more */
export async function ensureRunning(options: StartOptions): Promise<EngineState | undefined> {
  const { place, signal } = options
  const start = performance.now()
  preparePlace(place)
  for (;;) {
    if (signal.aborted) return undefined
    const found = await findRunning(options)
    if (found) return found
    const outcome = await attempt(options)
    if (outcome === 'unwanted') return undefined
    if (outcome !== 'beside another') {
      if ('state' in outcome) return outcome.state
      const isPatient = performance.now() - start < (options.lock_patience_ms ?? LOCK_PATIENCE_MS)
      if (outcome.failure.kind !== 'locked' || !isPatient) {
        throw new OperatorError(adviceFor(outcome.failure, place))
      }
    }
    await sleep(RETRY_DELAY_MS)
  }
}

/** A process that answers may be about to stop because its last user has just gone. */
async function findRunning(options: StartOptions): Promise<EngineState | undefined> {
  const { place, pipe, signal } = options
  const state = readState(place.state_file)
  if (!state || !isRunning(state.pid)) return undefined
  const start = performance.now()
  const hasPassed = (ms: number) => performance.now() - start > ms
  while (!hasPassed(START_DEADLINE_MS)) {
    const presence = await probe(state)
    if (presence === 'away' || signal.aborted) return undefined
    const isStopping = existsSync(stopMark(place.pipe, state.pid))
    if (presence === 'ready' && (!isStopping || hasPassed(STOPPING_DEADLINE_MS))) return state
    if (isStopping) callWatchdog(pipe)
    await sleep(POLL_MS)
  }
  throw new OperatorError(
    `The process ${state.pid} of the embedded analytics engine does not answer. End it (kill -9 ${state.pid}); nothing is lost by that.`,
  )
}

type Outcome = { state: EngineState } | { failure: Failure } | 'unwanted' | 'beside another'

async function attempt({ place, limits, signal }: StartOptions): Promise<Outcome> {
  const logStart = logEnd(place.log)
  const child = spawnWatched(command(place, limits), {
    name: 'ClickHouse',
    account: place.account,
    for_server: place,
    folder_fd: undefined,
  })
  const ended = child.ended.then((status) => ({ status }))
  ended.catch(() => undefined)
  const deadline = performance.now() + START_DEADLINE_MS
  while (!signal.aborted && performance.now() < deadline) {
    // A rejection, when it could not be run at all, comes out here.
    const end = await Promise.race([ended, sleep(POLL_MS, undefined)])
    const state = readState(place.state_file)
    const isThere = state !== undefined && isRunning(state.pid)
    if (end) {
      return isThere ? 'beside another' : { failure: failureOf(end.status, place.log, logStart) }
    }
    if (!isThere || (await probe(state)) !== 'ready') continue
    child.detach()
    return { state }
  }
  child.detach()
  if (signal.aborted) return 'unwanted'
  return { failure: { kind: 'failed', detail: `it did not answer. See ${place.log}` } }
}

function command(place: Place, limits: Limits): string[] {
  const { directory, state_file, config_file, backup_folder } = place
  const options: ChildOptions = { directory, state_file, config_file, backup_folder, ...limits }
  const program = 'dist/src/platform/clickhouse/embedded/child.js'
  return [
    'env',
    `UV_THREADPOOL_SIZE=${THREAD_POOL_SIZE}`,
    process.execPath,
    join(packageRoot(), program),
    JSON.stringify(options),
  ]
}
