/**
 * Deletes flushed rows from the spool once the live tail no longer needs them. It runs in the
 * background of the flusher, and a last time after the flusher has become idle.
 */
import type { Log } from '../log.ts'
import type { Database } from '../postgres/db.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'
import { RETENTION_SECONDS, SWEEP_ROWS_MAX, sweepFlushed } from './store.ts'

export type Sweeper = {
  onArrived(): void
  /** Call when there is nothing to send. */
  onIdle(): void
  /** Resolves when no deletion is running. */
  idle(): Promise<void>
}

const IDLE_PAUSE_MS = 5000

export function createSweeper(db: Database, log: Log): Sweeper {
  const errors = createRepeatedErrors(log)
  let sweeping: Promise<void> | undefined
  let sweptAt = Number.NEGATIVE_INFINITY
  // A previous process may have left rows to delete.
  let arrivedAt = performance.now() - RETENTION_SECONDS * 1000
  let isClean = false

  const sweep = async () => {
    const begun = performance.now()
    try {
      const deleted = await sweepFlushed(db)
      const isExpired = begun - arrivedAt > (RETENTION_SECONDS + 1) * 1000
      isClean = isExpired && deleted < SWEEP_ROWS_MAX
    } catch (error) {
      errors.log(error, {}, 'flushed rows could not be deleted; will retry')
    }
    sweptAt = performance.now()
    sweeping = undefined
  }
  const begin = () => {
    sweeping ??= sweep()
  }

  return {
    onArrived: () => {
      arrivedAt = performance.now()
      isClean = false
      begin()
    },
    onIdle: () => {
      if (!isClean && performance.now() - sweptAt > IDLE_PAUSE_MS) begin()
    },
    idle: async () => await sweeping,
  }
}
