/**
 * Deletes from the spool what has arrived, after the live tail had its time with it: beside the work
 * and not in its way, and once more when there is no more work.
 */
import type { Log } from '../log.ts'
import type { Database } from '../postgres/db.ts'
import { KEPT_SECONDS, SWEEP_ROWS_MAX, sweepFlushed } from './store.ts'

export type Sweeper = {
  noteArrived(): void
  /** There is nothing to send right now. */
  noteIdle(): void
  /** Resolves when nothing is being deleted. */
  idle(): Promise<void>
}

const IDLE_PAUSE_MS = 5000

export function createSweeper(db: Database, log: Log): Sweeper {
  let sweeping: Promise<void> | undefined
  let sweptAt = Number.NEGATIVE_INFINITY
  // A process before this one may have left something.
  let arrivedAt = performance.now() - KEPT_SECONDS * 1000
  let isClean = false

  const sweep = async () => {
    const begun = performance.now()
    try {
      const deleted = await sweepFlushed(db)
      const hadTime = begun - arrivedAt > (KEPT_SECONDS + 1) * 1000
      isClean = hadTime && deleted < SWEEP_ROWS_MAX
    } catch (error) {
      log.error({ err: error }, 'what has arrived could not be deleted; tried again')
    }
    sweptAt = performance.now()
    sweeping = undefined
  }
  const begin = () => {
    sweeping ??= sweep()
  }

  return {
    noteArrived: () => {
      arrivedAt = performance.now()
      isClean = false
      begin()
    },
    noteIdle: () => {
      if (!isClean && performance.now() - sweptAt > IDLE_PAUSE_MS) begin()
    },
    idle: async () => await sweeping,
  }
}
