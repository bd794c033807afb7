/**
 * Counts what the statements of this process experience: errors by kind, and how long they wait for a
 * connection of the pool.
 */
import type { Pool } from 'pg'
import { ERROR_KINDS, type ErrorKind, errorKindOf } from './error-kinds.ts'

export type DatabaseWatch = {
  /** Counts the connections of this pool from now on. */
  attach(pool: Pool): void
  countError(error: unknown): void
  countWait(seconds: number): void
  read(): DatabaseUse
}

export type DatabaseUse = {
  errors: Readonly<Record<ErrorKind, number>>
  connections: { busy: number; idle: number; max: number }
  /** Callers that wait for a connection now. */
  waiting: number
  /** Since the start: connections handed out, and the time that their callers waited. */
  acquired: number
  waited_seconds: number
}

export function createDatabaseWatch(): DatabaseWatch {
  const errors = Object.fromEntries(ERROR_KINDS.map((kind) => [kind, 0])) as Record<
    ErrorKind,
    number
  >
  let pool: Pool | undefined
  let acquired = 0
  let waited_seconds = 0
  return {
    attach: (opened) => {
      pool = opened
    },
    countError: (error) => {
      const kind = errorKindOf(error)
      if (kind !== undefined) errors[kind] += 1
    },
    countWait: (seconds) => {
      acquired += 1
      waited_seconds += seconds
    },
    read: () => {
      const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = pool ?? {}
      return {
        errors,
        connections: { busy: totalCount - idleCount, idle: idleCount, max: options?.max ?? 0 },
        waiting: waitingCount,
        acquired,
        waited_seconds,
      }
    },
  }
}
