/**
 * Records answered requests. So that the log never slows requests down, a bounded number of entries
 * is buffered, written once a second, and dropped and counted when that fails.
 */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { createBudget } from './budget.ts'
import { insertRequests, type RequestRow } from './store.ts'

/** One of `key_id` and `user_id` is set; the other is empty. */
export type AnsweredRequest = Omit<RequestRow, 'id' | 'at' | 'left_out'>

export type RequestRecorder = {
  /** Whether the request will be logged. Call it first, so that only logged requests cost work. */
  wants(orgId: string, status: number): boolean
  record(request: AnsweredRequest): void
  start(): void
  flush(): Promise<void>
  /** Writes the buffered entries and stops the timer. */
  stop(): Promise<void>
}

export type RecorderOptions = {
  db: Database
  clock: Clock
  newId: NewId
  log: Log
  request_log_per_second: number
}

const FLUSH_MS = 1000
/** Buffered entries of all organizations, while the database is slow. */
const BUFFERED_MAX = 5000
const TEXT_MAX_CHARS = 300
const REFUSED_FROM = 400

export function createRequestRecorder(options: RecorderOptions): RequestRecorder {
  const { db, clock, newId, log, request_log_per_second } = options
  const budget = createBudget(request_log_per_second)
  let buffered: RequestRow[] = []
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const write = async (rows: RequestRow[]): Promise<void> => {
    try {
      await insertRequests(db, rows)
    } catch (error) {
      log.debug({ err: error, rows: rows.length }, 'entries of the request log were dropped')
      for (const { org_id, left_out } of rows) budget.lose(org_id, 1 + left_out)
    }
  }

  const flush = async (): Promise<void> => {
    // While the database is slow, entries wait in the bounded buffer.
    await writing
    if (buffered.length === 0) {
      for (const [orgId, count] of budget.close()) budget.lose(orgId, count)
      return
    }
    const rows = buffered
    buffered = []
    assignLeftOut(rows, budget.close(), budget.lose)
    writing = write(rows).finally(() => {
      writing = undefined
    })
    await writing
  }

  return {
    wants: (orgId, status) => {
      if (!budget.take(orgId, status >= REFUSED_FROM)) return false
      if (buffered.length < BUFFERED_MAX) return true
      budget.lose(orgId, 1)
      return false
    },
    record: (request) => {
      const at = clock.now()
      buffered.push({
        ...request,
        path: request.path.slice(0, TEXT_MAX_CHARS),
        duration_ms: Math.round(request.duration_ms),
        id: newId(at),
        at,
        left_out: 0,
      })
    },
    start: () => {
      timer = setInterval(() => {
        // Concurrent writes could finish in any order; the next tick writes these entries too.
        if (writing === undefined) void flush()
      }, FLUSH_MS)
      timer.unref()
    },
    flush,
    stop: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** The newest entry of an organization carries its count; without an entry, the next second does. */
function assignLeftOut(
  rows: readonly RequestRow[],
  leftOut: Map<string, number>,
  carryOver: (orgId: string, count: number) => void,
): void {
  if (leftOut.size === 0) return
  for (const row of rows.toReversed()) {
    const count = leftOut.get(row.org_id)
    if (count === undefined) continue
    row.left_out = count
    leftOut.delete(row.org_id)
  }
  for (const [orgId, count] of leftOut) carryOver(orgId, count)
}
