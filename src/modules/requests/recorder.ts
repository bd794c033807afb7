/**
 * The log of requests, for whoever wants to see what arrived in the last day. It is a convenience
 * and takes nothing from the requests: a bounded number is remembered, written once a second with
 * one statement, and dropped when that fails; what is not there is counted.
 */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { createBudget } from './budget.ts'
import { insertRequests, type RequestRow } from './store.ts'

/** `key_id` or `user_id`, whichever it came with; empty: none. */
export type AnsweredRequest = {
  org_id: string
  mode: Mode | null
  method: string
  route: string
  path: string
  status: number
  duration_ms: number
  key_id: string
  user_id: string
}

export type RequestRecorder = {
  /** Whether it is going to be kept. Everything else about a request is found out after that only. */
  wants(orgId: string, status: number): boolean
  record(request: AnsweredRequest): void
  start(): void
  /** Writes what is remembered. */
  flush(): Promise<void>
  /** Writes what is remembered, and nothing after it. */
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
/** Of all organisations together; so much is written while the database is slow. */
const REMEMBERED_MAX = 5000
const TEXT_MAX_CHARS = 300
const REFUSED_FROM = 400

export function createRequestRecorder(options: RecorderOptions): RequestRecorder {
  const { db, clock, newId, log, request_log_per_second } = options
  const budget = createBudget(request_log_per_second)
  let remembered: RequestRow[] = []
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
    // What comes while the database is slow waits in memory, as far as there is room.
    await writing
    if (remembered.length === 0) {
      for (const [orgId, count] of budget.close()) budget.lose(orgId, count)
      return
    }
    const rows = remembered
    remembered = []
    tell(rows, budget.close(), budget.lose)
    writing = write(rows).finally(() => {
      writing = undefined
    })
    await writing
  }

  return {
    wants: (orgId, status) => {
      if (!budget.take(orgId, status >= REFUSED_FROM)) return false
      if (remembered.length < REMEMBERED_MAX) return true
      budget.lose(orgId, 1)
      return false
    },
    record: (request) => {
      const at = clock.now()
      remembered.push({
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
        // Two at once would write in any order; the next second takes both.
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

/** The newest entry of an organisation says how many are not there; without any, the next one will. */
function tell(
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
