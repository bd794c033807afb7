/**
 * Runs replays that wait, one at a time in this process. What it holds is a lease: a process that is
 * killed loses it, and the replay is begun again by whoever comes next.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { StateId } from '../../../platform/states/index.ts'
import { type ReplayProgress, replay } from '../replay.ts'
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
}

const LEASE_SECONDS = 30
const PROGRESS_MS = 1000
/** So often it is asked whether progress is due. */
const PROGRESS_ORDERS = 100
/** Whatever brings down whoever runs it must not do so for ever. */
const ATTEMPTS_MAX = 3
/** Requests wait for no longer than this, and two thirds of the time is theirs. */
const PACE = { work_ms: 5, rest_ms: 10 }
const FAULT =
  'The replay failed. Start it again; if it fails again, the log of the service says why.'

/** It was cancelled, another process has it, or this one stops. */
class ReplayEnded extends Error {}

/** Until nothing waits any more, or the signal fires. */
export async function runReplays(
  deps: ReplayWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const lease_seconds = deps.lease_seconds ?? LEASE_SECONDS
  while (!signal.aborted) {
    const claimed = await claimReplay(deps.db, randomUUID(), lease_seconds)
    if (!claimed) return
    await runReplay({ ...deps, lease_seconds }, claimed, signal)
  }
}

async function runReplay(
  deps: ReplayWorkerDependencies & { lease_seconds: number },
  claimed: ClaimedReplay,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = deps
  try {
    if (claimed.attempts > ATTEMPTS_MAX) throw new Error('cut off too often')
    const counted = await replay(deps, {
      owners: [claimed],
      from: claimed.from_at,
      to: claimed.to_at,
      parameters: storedOrderParameters(claimed.overrides),
      progress_orders: PROGRESS_ORDERS,
      onProgress: keeping(deps, claimed, signal),
      pace: createPace(PACE),
    })
    await finishReplay(db, claimed, { result: replayResult(counted) }, clock.now())
  } catch (error) {
    if (error instanceof ReplayEnded) {
      if (signal.aborted) await releaseReplay(db, claimed, false)
      return
    }
    log.error({ err: error, org_id: claimed.org_id, replay: claimed.id }, 'a replay failed')
    if (claimed.attempts < ATTEMPTS_MAX) await releaseReplay(db, claimed, true)
    else await finishReplay(db, claimed, { fault: FAULT }, clock.now())
  }
}

function keeping(
  {
    db,
    lease_seconds,
    progress_ms = PROGRESS_MS,
  }: ReplayWorkerDependencies & {
    lease_seconds: number
  },
  claimed: ClaimedReplay,
  signal: AbortSignal,
) {
  let written_at = Number.NEGATIVE_INFINITY
  return async (progress: ReplayProgress): Promise<void> => {
    if (signal.aborted) throw new ReplayEnded()
    if (performance.now() - written_at < progress_ms) return
    if (!(await keepReplay(db, claimed, progress, lease_seconds))) throw new ReplayEnded()
    written_at = performance.now()
  }
}
