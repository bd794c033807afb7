/**
 * Sends spooled batches to the analytics engine in few large blocks, because small ones cost the
 * engine many times more. A flush gets its id and its rows before it is sent and keeps them until it
 * has arrived, so that the engine recognizes a repetition by the id, no matter which process sends it.
 */
import { randomUUID } from 'node:crypto'
import type { ClickHouse } from '../clickhouse/client.ts'
import { EngineRefusal } from '../clickhouse/errors.ts'
import { createDispatcher, type Dispatcher, type Room, type Sent } from '../dispatch/index.ts'
import type { Log } from '../log.ts'
import { reasonOf } from '../operator-error.ts'
import type { Database } from '../postgres/db.ts'
import type { FindMissing } from './missing.ts'
import type { Payload } from './rows.ts'
import {
  type ClaimedFlush,
  claimFlush,
  markFlushed,
  readFlush,
  releaseFlush,
  splitFlush,
} from './store.ts'
import { createSweeper } from './sweeper.ts'
import { type FlushOutcome, verdictOn } from './verdict.ts'

export type FlusherOptions = {
  db: Database
  clickhouse: Pick<ClickHouse, 'insert'>
  log: Log
  /** Table in the analytics engine. */
  target: string
  /** Columns of its binary rows, in their order. */
  columns?: readonly string[] | undefined
  /** Time limit for the insert of a block. */
  deadline_ms: number
  /** Called for a repeated block if the engine can lose rows that it considers inserted. */
  findMissing?: FindMissing
  /** Called with the outcome of each attempt. */
  observe?: (attempt: { target: string; entries: number; outcome: FlushOutcome['kind'] }) => void
}

/** Time after the deadline for writing the outcome. */
const LEASE_MARGIN_MS = 10_000
/** One flush is read while the engine inserts two, each in one thread. */
const FLUSHES_IN_FLIGHT_MAX = 3
const POLL_MS = 250

/** A flush is created when this many entries wait, or when the oldest has waited this long. */
const ENTRIES_MIN = 10_000
const OLDEST_MS = 400
const ENTRIES_MAX = 50_000
const BYTES_MAX = 33_554_432
const ROWS_MAX = 2000

/**
 * While a flush fails, no new one is created, so that waiting rows can still be combined into large
 * blocks. After half a minute of failures the next flush is tried as well, so that one which the
 * engine cannot accept does not block all others.
 */
const FAILING_ATTEMPTS_MAX = 6
const FAILING_FLUSHES_MAX = 4

export function createFlusher(options: FlusherOptions): Dispatcher {
  const { db, target, log } = options
  const sweeper = createSweeper(db, log)
  const dispatcher = createDispatcher<ClaimedFlush, FlushOutcome>({
    name: `spool of ${target}`,
    log,
    claim: async (room) => {
      const flush = await claimFlush(db, queryFor(options, room))
      if (flush === undefined) sweeper.onIdle()
      return { jobs: flush === undefined ? [] : [flush], is_more: flush !== undefined }
    },
    groupsOf: () => [target],
    send: async (flush, signal) => await send(options, flush, signal),
    settle: async (sent) => {
      for (const one of sent) await settle(options, one)
      sweeper.onArrived()
    },
    in_flight_max: FLUSHES_IN_FLIGHT_MAX,
    poll_ms: POLL_MS,
  })
  return {
    ...dispatcher,
    stop: async (drainMs) => {
      await dispatcher.stop(drainMs)
      await sweeper.idle()
    },
  }
}

function queryFor({ target, deadline_ms }: FlusherOptions, { in_flight }: Room) {
  // While a flush is in flight, only full ones are created: two small blocks cost more than one.
  const isBusy = (in_flight.get(target) ?? 0) > 0
  return {
    target,
    flush_id: randomUUID(),
    lease_id: randomUUID(),
    lease_ms: deadline_ms + LEASE_MARGIN_MS,
    entries_min: isBusy ? ENTRIES_MAX : ENTRIES_MIN,
    oldest_ms: isBusy ? null : OLDEST_MS,
    entries_max: ENTRIES_MAX,
    bytes_max: BYTES_MAX,
    rows_max: ROWS_MAX,
    failing_attempts_max: FAILING_ATTEMPTS_MAX,
    failing_flushes_max: FAILING_FLUSHES_MAX,
  }
}

async function send(
  { db, clickhouse, target, columns, deadline_ms, findMissing, log }: FlusherOptions,
  { flush_id, lease_id, rows, attempts }: ClaimedFlush,
  stopping: AbortSignal,
): Promise<FlushOutcome> {
  const signal = AbortSignal.any([AbortSignal.timeout(deadline_ms), stopping])
  try {
    const payloads = await readFlush(db, flush_id)
    // The id stands for the complete block only.
    if (payloads.length !== rows) return { kind: 'gone' }
    const isBinary = payloads[0]?.shape !== undefined
    if (payloads.some(({ shape }) => isBinary !== (shape !== undefined))) return { kind: 'mixed' }
    const binaryTarget = `${target} (${(columns ?? []).join(', ')})`
    const insert = async (pieces: readonly Buffer[], token: string) =>
      isBinary
        ? await clickhouse.insert(binaryTarget, pieces, token, signal, 'RowBinary')
        : await clickhouse.insert(target, pieces, token, signal)
    await insert(payloads.map(rowsIn), flush_id)
    const missing = attempts > 1 && findMissing ? await findMissing(target, payloads) : []
    if (missing.length > 0) {
      log.warn(
        { target, flush_id },
        'the analytics engine has lost a block that it recorded; inserting it again',
      )
      await insert(missing, `${flush_id} ${lease_id}`)
    }
    return { kind: 'arrived' }
  } catch (error) {
    if (stopping.aborted) return { kind: 'stopped' }
    if (error instanceof EngineRefusal && !error.is_transient) {
      return { kind: 'refused', code: error.code, reason: error.message.slice(0, REASON_MAX) }
    }
    return { kind: 'away', reason: reasonOf(error).slice(0, REASON_MAX) }
  }
}

const rowsIn = ({ rows }: Payload): Buffer => rows

const REASON_MAX = 500

async function settle(
  { db, log, target, observe }: FlusherOptions,
  { job, outcome }: Sent<ClaimedFlush, FlushOutcome>,
): Promise<void> {
  const { flush_id, entries, rows, attempts } = job
  const verdict = verdictOn(outcome, job)
  switch (verdict.action) {
    case 'mark_arrived':
      await markFlushed(db, flush_id)
      break
    case 'split':
      await splitFlush(db, job, [randomUUID(), randomUUID()])
      break
    case 'release':
      await releaseFlush(db, job, verdict)
      break
    case 'nothing':
      break
  }
  observe?.({ target, entries, outcome: outcome.kind })
  const fields = { target, flush_id, rows, entries, attempts }
  if (outcome.kind === 'away') {
    const { reason } = outcome
    log.warn({ ...fields, reason }, 'the analytics engine did not insert a block; will retry')
  } else if (outcome.kind === 'refused') {
    log.error({ ...fields, reason: outcome.reason }, 'the analytics engine refused a block')
  }
}
