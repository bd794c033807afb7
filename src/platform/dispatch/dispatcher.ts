/**
 * Claims due jobs in batches, sends them concurrently outside of any transaction, and writes their
 * outcomes in batches. The rows in the database are authoritative.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createBatcher } from '../batch.ts'
import type { Log } from '../log.ts'
import { isStatementFault } from '../postgres/db.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'
import { createAlarm } from './alarm.ts'
import { createInFlight } from './in-flight.ts'

export type Room = {
  /** Maximum number of jobs to claim. */
  jobs: number
  /** Number of jobs that this process is sending, by group. */
  in_flight: ReadonlyMap<string, number>
}

export type Claimed<Job> = {
  jobs: readonly Job[]
  /** More jobs may be due than there was room for. */
  is_more: boolean
}

export type Sent<Job, Outcome> = { job: Job; outcome: Outcome }

export type DispatcherOptions<Job, Outcome> = {
  name: string
  log: Log
  /**
   * Leases due jobs to this process. The lease must outlast `send` and `settle`. `sent` are the jobs that are
   * free although their outcome is not written yet.
   */
  claim: (room: Room, sent: ReadonlySet<Job>) => Promise<Claimed<Job>>
  /** Groups of a job whose number of jobs in flight is limited by `claim`. */
  groupsOf: (job: Job) => readonly string[]
  /**
   * Number of jobs of a group in flight from which on another job may wait for one of them. Without it, one
   * may always wait.
   */
  limitOf?: (group: string) => number
  /** Sends a job. After the abort it must return soon, for example that the job was stopped. */
  send: (job: Job, signal: AbortSignal) => Promise<Outcome>
  /**
   * Whether the groups of a job are free once it is sent, so that the next claim does not wait for its
   * outcome to be written. Default: never.
   */
  isFreeWhenSent?: (sent: Sent<Job, Outcome>) => boolean
  /** Writes the outcomes, except for jobs whose lease was lost in the meantime. */
  settle: (sent: readonly Sent<Job, Outcome>[]) => Promise<void>
  in_flight_max: number
  poll_ms: number
}

export type Dispatcher = {
  start(): void
  /** Reports that something may be due now. Cheap; several hints are combined. */
  hint(): void
  /** Claims nothing more, aborts what is not sent within `drainMs`, and writes all outcomes. */
  stop(drainMs: number): Promise<void>
}

const SETTLED_TOGETHER_MAX = 256
const SETTLES_IN_FLIGHT_MAX = 2
/** Outcomes wait this long for the database; a job whose outcome is not written is sent again. */
const SETTLED_WITHIN_MS = 600_000
const SETTLE_PAUSES_MS = [50, 100, 200, 400, 800] as const
const SETTLE_PAUSE_MAX_MS = 1000
const AFTER_FAILURE_MS = 1000
/** Claims that find nothing must be cheap: a tenth of the time after hints, a twentieth by polling. */
const HINTED_PAUSE = 10
const POLLED_PAUSE = 20
/** A single slow claim must not stop everything for long. */
const HINTED_PAUSE_MAX_MS = 50
const POLLED_PAUSE_MAX_MS = 1000
/** Minimum pauses after consecutive hints that found nothing. */
const HINTED_PAUSES_MS = [5, 10, 20, 40, 50] as const

export function createDispatcher<Job, Outcome>(
  options: DispatcherOptions<Job, Outcome>,
): Dispatcher {
  const { name } = options
  const errors = createRepeatedErrors(options.log)
  const inFlight = createInFlight(options.in_flight_max)
  const sent = new Set<Job>()
  const stopping = new AbortController()
  // Every job adds a listener and removes it again.
  setMaxListeners(0, stopping.signal)
  let isRunning = false
  let claiming: Promise<void> | undefined
  let isWanted = false
  /** A hint before this time has to wait. */
  let quietUntil = 0
  let emptyHints = 0
  /** Number of batches of outcomes that wait for the database. While there are any, nothing is sent. */
  let unwritten = 0
  /** A claim was due while none was possible, so the end of a job has to start it. */
  let isPostponed = false
  const alarm = createAlarm(() => {
    if (!isRunning || claiming !== undefined) return
    isPostponed = inFlight.room() === 0 || unwritten > 0
    if (isPostponed) return
    claiming = claimDue().finally(() => {
      claiming = undefined
    })
  })
  const ringWhenQuiet = () => alarm.ring(quietUntil - performance.now())

  const hint = () => {
    isWanted = true
    if (isRunning && claiming === undefined) ringWhenQuiet()
  }

  const claimDue = async (): Promise<void> => {
    const wasHinted = isWanted
    isWanted = false
    const begun = performance.now()
    let nextInMs = AFTER_FAILURE_MS
    try {
      const room = { jobs: inFlight.room(), in_flight: inFlight.groups }
      const { jobs, is_more } = await options.claim(room, sent)
      for (const job of jobs) void deliver(job)
      const tookMs = performance.now() - begun
      const isEmpty = jobs.length === 0
      const least = HINTED_PAUSES_MS[emptyHints] ?? HINTED_PAUSES_MS[4]
      const quietMs = Math.min(HINTED_PAUSE_MAX_MS, Math.max(least, HINTED_PAUSE * tookMs))
      quietUntil = isEmpty ? performance.now() + quietMs : 0
      emptyHints = isEmpty && wasHinted ? emptyHints + 1 : 0
      const polledMs = Math.min(POLLED_PAUSE_MAX_MS, POLLED_PAUSE * tookMs)
      nextInMs = is_more ? 0 : Math.max(options.poll_ms, polledMs)
    } catch (error) {
      errors.log(error, { dispatch: name }, 'due jobs could not be claimed; will retry')
      quietUntil = performance.now() + AFTER_FAILURE_MS
    }
    if (!isRunning) return
    // The alarm starts the next claim only after this one has returned.
    alarm.ring(nextInMs)
    if (isWanted) ringWhenQuiet()
  }

  const isFull = (groups: readonly string[]): boolean =>
    options.limitOf === undefined ||
    inFlight.room() === 0 ||
    groups.some((group) => (inFlight.groups.get(group) ?? 0) >= (options.limitOf?.(group) ?? 0))

  const deliver = async (job: Job): Promise<void> => {
    let groups = options.groupsOf(job)
    inFlight.add(groups)
    try {
      const outcome = await options.send(job, stopping.signal)
      if (options.isFreeWhenSent?.({ job, outcome })) {
        const mayBeWaitedFor = isFull(groups)
        inFlight.free(groups)
        groups = []
        sent.add(job)
        if (mayBeWaitedFor) hint()
      }
      await outcomes.submit({ job, outcome })
    } catch (error) {
      errors.log(error, { dispatch: name }, 'an outcome was lost; the job will be sent again')
    } finally {
      const mayBeWaitedFor = isFull(groups)
      inFlight.remove(groups)
      sent.delete(job)
      if (mayBeWaitedFor || isPostponed) hint()
    }
  }

  const settleWithRetries = async (done: readonly Sent<Job, Outcome>[]): Promise<void> => {
    try {
      await options.settle(done)
    } catch (error) {
      if (isStatementFault(error)) throw error
      errors.log(error, { dispatch: name }, 'outcomes could not be written; will retry')
      unwritten += 1
      await withRetries(() => options.settle(done), stopping.signal).finally(() => {
        unwritten -= 1
      })
    }
  }

  const outcomes = createBatcher<Sent<Job, Outcome>, undefined>({
    run: async (done) => {
      await settleWithRetries(done)
      return done.map(() => undefined)
    },
    items_max: SETTLED_TOGETHER_MAX,
    batches_in_flight_max: SETTLES_IN_FLIGHT_MAX,
    may_be_one_item: isStatementFault,
  })

  return {
    start: () => {
      isRunning = true
      alarm.ring(0)
    },
    hint,
    stop: async (drainMs) => {
      isRunning = false
      alarm.silence()
      const abort = setTimeout(() => stopping.abort(), drainMs)
      await claiming
      await inFlight.idle()
      clearTimeout(abort)
    },
  }
}

/** A process that is stopping does not wait for an unavailable database. */
async function withRetries(work: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  const until = performance.now() + SETTLED_WITHIN_MS
  for (let attempt = 0; ; attempt += 1) {
    const pauseMs = SETTLE_PAUSES_MS[attempt] ?? SETTLE_PAUSE_MAX_MS
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
    try {
      await work()
      return
    } catch (error) {
      if (isStatementFault(error) || stopping.aborted || performance.now() > until) throw error
    }
  }
}
