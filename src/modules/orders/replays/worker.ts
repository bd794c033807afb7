/**
 * Runs replays that wait, one of an organisation and a few at a time in this process. What it holds are
 * leases: a process that is killed loses them, and the replays are begun again by whoever comes next.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { StateId } from '../../../platform/states/index.ts'
import { HistoryTooLarge, type ReplayProgress, replay } from '../replay.ts'
import { replayResult } from '../replay-counts.ts'
import { storedOrderParameters } from '../scoring/parameters.ts'
import { createPace } from './pace.ts'
import {
  type ClaimedReplay,
  claimReplay,
  finishReplay,
  keepReplay,
  releaseReplay,
} from './store.ts'

export type ReplayWorkerDependencies = {
  db: Database
  stateId: StateId
  clock: Clock
  log: Log
  /** How long a process may be silent until another one takes over. */
  lease_seconds?: number
  /** How often progress is written. */
  progress_ms?: number
  /** Of profiles, devices and whatever else one replay may remember. */
  states_max?: number
}

/** So many at a time: a small organisation does not wait for hours behind a huge one. */
const AT_ONCE_MAX = 2
/** How often it is looked for another one while one runs. */
const LOOK_MS = 500
const LEASE_SECONDS = 30
const PROGRESS_MS = 1000
/** So often it is asked whether progress is due: decisions count, a lease must outlast them too. */
const PROGRESS_EVERY = 100
/** Whatever brings down whoever runs it must not do so for ever. */
const ATTEMPTS_MAX = 3
/** Requests wait for no longer than this, and two thirds of the time is theirs, for all that run. */
const PACE = { work_ms: 5, rest_ms: 10 }
const FAULT =
  'The replay failed. Start it again; if it fails again, the log of the service says why.'
const TOO_LARGE =
  'The organisation has more profiles, devices and addresses than a replay may remember beside the service. Run it as a command: vigil replay.'
const STATE_BYTES = 2000
/** A quarter of the memory that the process may have, for all at once. */
const statesMax = (): number =>
  Math.floor(getHeapStatistics().heap_size_limit / 4 / AT_ONCE_MAX / STATE_BYTES)

/** It was cancelled, another process has it, or this one stops. */
class ReplayEnded extends Error {}

/** Until nothing waits any more, or the signal fires. */
export async function runReplays(
  deps: ReplayWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { lease_seconds = LEASE_SECONDS, states_max = statesMax() } = deps
  const running = new Set<Promise<void>>()
  const run = { ...deps, lease_seconds, states_max, pace: createPace(PACE), signal }
  const begin = (claimed: ClaimedReplay) => {
    const one = runReplay(run, claimed)
      // Its lease runs out: it is begun again.
      .catch((error: unknown) => deps.log.error({ err: error }, 'a replay was lost'))
      .finally(() => running.delete(one))
    running.add(one)
  }
  try {
    while (!signal.aborted) {
      const isFull = running.size >= AT_ONCE_MAX
      const claimed = isFull ? undefined : await claimReplay(deps.db, randomUUID(), lease_seconds)
      if (claimed) begin(claimed)
      else if (running.size === 0) return
      else await Promise.race([...running, sleep(LOOK_MS, undefined, { ref: false })])
    }
  } finally {
    await Promise.all(running)
  }
}

type Run = ReplayWorkerDependencies & {
  lease_seconds: number
  states_max: number
  pace: () => Promise<void> | undefined
  signal: AbortSignal
}

async function runReplay(deps: Run, claimed: ClaimedReplay): Promise<void> {
  const { db, clock, log, signal } = deps
  try {
    if (claimed.attempts > ATTEMPTS_MAX) throw new Error('cut off too often')
    const counted = await replay(deps, {
      owners: [claimed],
      from: claimed.from_at,
      to: claimed.to_at,
      parameters: storedOrderParameters(claimed.overrides),
      progress_every: PROGRESS_EVERY,
      onProgress: keeping(deps, claimed),
      pace: deps.pace,
      states_max: deps.states_max,
    })
    await finishReplay(db, claimed, { result: replayResult(counted) }, clock.now())
  } catch (error) {
    if (error instanceof ReplayEnded) {
      if (signal.aborted) await releaseReplay(db, claimed, false)
      return
    }
    if (error instanceof HistoryTooLarge) {
      await finishReplay(db, claimed, { fault: TOO_LARGE }, clock.now())
      return
    }
    log.error({ err: error, org_id: claimed.org_id, replay: claimed.id }, 'a replay failed')
    if (claimed.attempts < ATTEMPTS_MAX) await releaseReplay(db, claimed, true)
    else await finishReplay(db, claimed, { fault: FAULT }, clock.now())
  }
}

function keeping(
  { db, lease_seconds, progress_ms = PROGRESS_MS, signal }: Run,
  claimed: ClaimedReplay,
) {
  let written_at = Number.NEGATIVE_INFINITY
  return async (progress: ReplayProgress): Promise<void> => {
    if (signal.aborted) throw new ReplayEnded()
    if (performance.now() - written_at < progress_ms) return
    if (!(await keepReplay(db, claimed, progress, lease_seconds))) throw new ReplayEnded()
    written_at = performance.now()
  }
}
