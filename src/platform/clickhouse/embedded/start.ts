/**
 * Ensures that one process of the embedded engine runs and answers, no matter who started it. The
 * engine's lock of its directory decides which process serves it; the others retry for a while.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerAccount } from '../../embedded/account.ts'
import { logEnd } from '../../embedded/log-file.ts'
import { openProgram, type Program } from '../../embedded/program.ts'
import { callWatchdog, spawnWatched, stopMark } from '../../embedded/watchdog.ts'
import { isRunning } from '../../is-running.ts'
import { OperatorError } from '../../operator-error.ts'
import type { Limits } from './chdb-config.ts'
import { type ChildOptions, THREAD_POOL_SIZE } from './child-options.ts'
import { type Place, preparePlace } from './place.ts'
import { probe } from './probe.ts'
import { adviceFor, type Failure, failureOf } from './start-failure.ts'
import { type EngineState, readState } from './state-file.ts'

export type StartOptions = {
  place: Place
  limits: Limits
  /** Descriptor of the named pipe, which registers this process as a user of the engine. */
  pipe: number
  /** Aborted when this process no longer needs the engine. */
  signal: AbortSignal
  /** Time to wait for a directory that is in use. */
  lock_patience_ms?: number
}

/** Loading many large tables takes a while. */
const START_DEADLINE_MS = 120_000
/** A stopping engine has 5 s to finish its work; then its directory is free. */
const LOCK_PATIENCE_MS = 10_000
/** A marked engine that still answers after this long is not going to stop. */
const STOPPING_DEADLINE_MS = 2000
const POLL_MS = 25
const RETRY_DELAY_MS = 150

/**
 * @returns undefined if the engine is no longer needed
 * @throws OperatorError if it cannot be started
 */
export async function ensureRunning(options: StartOptions): Promise<EngineState | undefined> {
  const { place, signal } = options
  const start = performance.now()
  const account = preparePlace(place)
  for (;;) {
    if (signal.aborted) return undefined
    const found = await findRunning(options)
    if (found) return found
    const outcome = await attempt(options, account)
    if (outcome === 'aborted') return undefined
    if (outcome !== 'other_started') {
      if ('state' in outcome) return outcome.state
      const isPatient = performance.now() - start < (options.lock_patience_ms ?? LOCK_PATIENCE_MS)
      if (outcome.failure.kind !== 'locked' || !isPatient) {
        throw new OperatorError(adviceFor(outcome.failure, place))
      }
    }
    await sleep(RETRY_DELAY_MS)
  }
}

/** A process that answers may still be stopping, because its last user has just ended. */
async function findRunning(options: StartOptions): Promise<EngineState | undefined> {
  const { place, pipe, signal } = options
  const state = readState(place.state_file)
  if (!state || !isRunning(state.pid)) return undefined
  const start = performance.now()
  const hasPassed = (ms: number) => performance.now() - start > ms
  while (!hasPassed(START_DEADLINE_MS)) {
    const presence = await probe(state)
    if (presence === 'gone' || signal.aborted) return undefined
    const isStopping = existsSync(stopMark(place.pipe, state.pid))
    if (presence === 'ready' && (!isStopping || hasPassed(STOPPING_DEADLINE_MS))) return state
    if (isStopping) callWatchdog(pipe)
    await sleep(POLL_MS)
  }
  throw new OperatorError(
    `The process ${state.pid} of the embedded analytics engine does not answer. End it with kill -9 ${state.pid}; no data is lost.`,
  )
}

type Outcome = { state: EngineState } | { failure: Failure } | 'aborted' | 'other_started'

async function attempt(
  { place, limits, signal }: StartOptions,
  account: ServerAccount | undefined,
): Promise<Outcome> {
  const logStart = logEnd(place.log)
  const program = openProgram(account)
  const child = spawnWatched(command(place, limits, program), {
    name: 'ClickHouse',
    account,
    for_server: place,
    working_folder: program.working_folder,
    inherited: program.node_fd,
  })
  program.close()
  const ended = child.ended.then((status) => ({ status }))
  ended.catch(() => undefined)
  const deadline = performance.now() + START_DEADLINE_MS
  while (!signal.aborted && performance.now() < deadline) {
    // Rejects here if the program could not be run at all.
    const end = await Promise.race([ended, sleep(POLL_MS, undefined)])
    const state = readState(place.state_file)
    const isUp = state !== undefined && isRunning(state.pid)
    if (end) {
      return isUp ? 'other_started' : { failure: failureOf(end.status, place.log, logStart) }
    }
    if (!isUp || (await probe(state)) !== 'ready') continue
    child.detach()
    return { state }
  }
  child.detach()
  if (signal.aborted) return 'aborted'
  return { failure: { kind: 'failed', detail: `it did not answer. See ${place.log}` } }
}

function command(place: Place, limits: Limits, { node, root, flags }: Program): string[] {
  const { directory, state_file, config_file, backup_folder } = place
  const options: ChildOptions = { directory, state_file, config_file, backup_folder, ...limits }
  const program = 'dist/src/platform/clickhouse/embedded/child.js'
  return [
    'env',
    `UV_THREADPOOL_SIZE=${THREAD_POOL_SIZE}`,
    node,
    ...flags,
    join(root, program),
    JSON.stringify(options),
  ]
}
