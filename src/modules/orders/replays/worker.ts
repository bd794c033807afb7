/**
 * Runs queued replays: one per organization and a few at a time in this process. Claims are leases,
 * so another process starts the replays of a killed one again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { StateId } from '../../../platform/states/index.ts'
import { examineCustomRules, type RuledSubjects } from '../../custom-rules/index.ts'
import { storedOrderParameters } from '../scoring/parameters.ts'
import { createPace } from './pace.ts'
import { HistoryTooLarge, type ReplayProgress, replay } from './replay.ts'
import { replayResult } from './replay-counts.ts'
import {
  type ClaimedReplay,
  claimReplay,
  finishReplay,
  releaseReplay,
  renewReplay,
} from './store.ts'

export type ReplayWorkerDependencies = {
  db: Database
  stateId: StateId
  ruled: RuledSubjects
  clock: Clock
  log: Log
  /** Silence after which another process takes over. */
  lease_seconds?: number
  /** Interval at which progress is written. */
  progress_ms?: number
  /** Maximum number of states that one replay holds in memory. */
  states_max?: number
}

/** Two at a time, so that a small organization does not wait for hours behind a huge one. */
const CONCURRENT_MAX = 2
/** Interval of looking for another queued replay while one runs. */
const POLL_MS = 500
const LEASE_SECONDS = 30
const PROGRESS_MS = 1000
/**
 * Entries between two progress reports. Decisions count as well, because the lease must be renewed
 * during long runs of them.
 */
const PROGRESS_EVERY = 100
/** A replay that brings its process down is not retried forever. */
const ATTEMPTS_MAX = 3
/**
 * All running replays together block requests for 5 ms at most and leave them two thirds of the
 * time.
 */
const PACE = { work_ms: 5, rest_ms: 10 }
const FAULT = 'The replay failed. Start it again; if it fails again, see the log of the service.'
const TOO_LARGE =
  'The organization has more profiles, devices and addresses than a replay can hold in the memory of the service. Run it from the command line: vigil replay.'
const STATE_BYTES = 2000
/** A quarter of the heap limit, divided among the concurrent replays. */
const statesMax = (): number =>
  Math.floor(getHeapStatistics().heap_size_limit / 4 / CONCURRENT_MAX / STATE_BYTES)

/** The replay was canceled or claimed by another process, or this process stops. */
class ReplayEnded extends Error {}

/** Runs until the queue is empty or the signal aborts. */
export async function runReplays(
  deps: ReplayWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { lease_seconds = LEASE_SECONDS, states_max = statesMax() } = deps
  const running = new Set<Promise<void>>()
  const run = { ...deps, lease_seconds, states_max, pace: createPace(PACE), signal }
  const begin = (claimed: ClaimedReplay) => {
    const one = runReplay(run, claimed)
      // Its lease expires, and the replay starts over.
      .catch((error: unknown) =>
        deps.log.error({ err: error }, 'lost a replay; it restarts when its lease expires'),
      )
      .finally(() => running.delete(one))
    running.add(one)
  }
  try {
    while (!signal.aborted) {
      const isFull = running.size >= CONCURRENT_MAX
      const claimed = isFull ? undefined : await claimReplay(deps.db, randomUUID(), lease_seconds)
      if (claimed) begin(claimed)
      else if (running.size === 0) return
      else await Promise.race([...running, sleep(POLL_MS, undefined, { ref: false })])
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
    if (claimed.attempts > ATTEMPTS_MAX) throw new Error('interrupted too often')
    const counted = await replay(deps, {
      owners: [claimed],
      from: claimed.from_at,
      to: claimed.to_at,
      parameters: storedOrderParameters(claimed.overrides),
      custom_rules: examineCustomRules(claimed.custom_rules).rules,
      progress_every: PROGRESS_EVERY,
      onProgress: progressWriter(deps, claimed),
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
    log.error({ err: error, org_id: claimed.org_id, replay: claimed.id }, 'replay failed')
    if (claimed.attempts < ATTEMPTS_MAX) await releaseReplay(db, claimed, true)
    else await finishReplay(db, claimed, { fault: FAULT }, clock.now())
  }
}

function progressWriter(
  { db, lease_seconds, progress_ms = PROGRESS_MS, signal }: Run,
  claimed: ClaimedReplay,
) {
  let written_at = Number.NEGATIVE_INFINITY
  return async (progress: ReplayProgress): Promise<void> => {
    if (signal.aborted) throw new ReplayEnded()
    if (performance.now() - written_at < progress_ms) return
    if (!(await renewReplay(db, claimed, progress, lease_seconds))) throw new ReplayEnded()
    written_at = performance.now()
  }
}
