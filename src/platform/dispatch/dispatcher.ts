/**
 * The one mechanism for all that leaves: what is due is claimed in batches, sent side by side outside
 * of any transaction, and what became of it is written in batches again. Rows are the truth; this
 * process only remembers what it is sending. It looks for work by itself now and then, and at once
 * when it is told that there may be some.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createBatcher } from '../batch.ts'
import type { Log } from '../log.ts'
import { isStatementFault } from '../postgres/db.ts'
import { createAlarm } from './alarm.ts'
import { createInFlight } from './in-flight.ts'

export type Room = {
  /** No more than so many jobs. */
  jobs: number
  /** Jobs that this process is sending, by group. */
  in_flight: ReadonlyMap<string, number>
}

export type Claimed<Job> = {
  jobs: readonly Job[]
  /** There was no room for all that may be due. */
  is_more: boolean
}

export type Sent<Job, Outcome> = { job: Job; outcome: Outcome }

export type DispatcherOptions<Job, Outcome> = {
  name: string
  log: Log
  /** Leases what is due to this process; the lease has to outlast `send` and the writing after it. */
  claim: (room: Room) => Promise<Claimed<Job>>
  /** What a job has in common with others of which not too many may be sent at a time. */
  groupsOf: (job: Job) => readonly string[]
  /** Once the signal fires, answers as soon as it can, perhaps that the job was stopped. */
  send: (job: Job, signal: AbortSignal) => Promise<Outcome>
  /** Writes what became of jobs, except of those whose lease was lost meanwhile. */
  settle: (sent: readonly Sent<Job, Outcome>[]) => Promise<void>
  in_flight_max: number
  poll_ms: number
}

export type Dispatcher = {
  start(): void
  /** Something may be due now. Cheap; many hints are one. */
  hint(): void
  /** Takes nothing more; what is not sent within `drainMs` is stopped. All outcomes are written. */
  stop(drainMs: number): Promise<void>
}

const SETTLED_TOGETHER_MAX = 256
const SETTLES_IN_FLIGHT_MAX = 2
/** While the database is away outcomes are kept so long: what is not written is sent again. */
const SETTLED_WITHIN_MS = 600_000
const SETTLE_PAUSES_MS = [50, 100, 200, 400, 800] as const
const SETTLE_PAUSE_MAX_MS = 1000
const AFTER_FAILURE_MS = 1000
/** Looking in vain must cost little: hinted, a tenth of the time; unasked, a twentieth. */
const HINTED_PAUSE = 10
const POLLED_PAUSE = 20
/** One look that was slow by accident must not stop everything for long. */
const HINTED_PAUSE_MAX_MS = 250
const POLLED_PAUSE_MAX_MS = 1000
/** Twice as long each time that hints were in vain. */
const HINTED_PAUSES_MS = [5, 10, 20, 40, 50] as const

export function createDispatcher<Job, Outcome>(
  options: DispatcherOptions<Job, Outcome>,
): Dispatcher {
  const { name, log } = options
  const inFlight = createInFlight(options.in_flight_max)
  const stopping = new AbortController()
  // One per job, each of which removes its own.
  setMaxListeners(0, stopping.signal)
  let isRunning = false
  let looking: Promise<void> | undefined
  let isWanted = false
  /** A hint before this time has to wait. */
  let quietUntil = 0
  let vainHints = 0
  /** Of outcomes that could not be written yet; meanwhile nothing is sent whose outcome could not be either. */
  let unwritten = 0
  const alarm = createAlarm(() => {
    if (!isRunning || looking !== undefined || inFlight.room() === 0 || unwritten > 0) return
    looking = look().finally(() => {
      looking = undefined
    })
  })
  const ringWhenQuiet = () => alarm.ring(quietUntil - performance.now())

  const hint = () => {
    isWanted = true
    if (isRunning && looking === undefined) ringWhenQuiet()
  }

  const look = async (): Promise<void> => {
    const wasHinted = isWanted
    isWanted = false
    const begun = performance.now()
    let nextInMs = AFTER_FAILURE_MS
    try {
      const { jobs, is_more } = await options.claim({
        jobs: inFlight.room(),
        in_flight: inFlight.groups,
      })
      for (const job of jobs) void deliver(job)
      const tookMs = performance.now() - begun
      const isVain = jobs.length === 0
      const least = HINTED_PAUSES_MS[vainHints] ?? HINTED_PAUSES_MS[4]
      const quietMs = Math.min(HINTED_PAUSE_MAX_MS, Math.max(least, HINTED_PAUSE * tookMs))
      quietUntil = isVain ? performance.now() + quietMs : 0
      vainHints = isVain && wasHinted ? vainHints + 1 : 0
      const polledMs = Math.min(POLLED_PAUSE_MAX_MS, POLLED_PAUSE * tookMs)
      nextInMs = is_more ? 0 : Math.max(options.poll_ms, polledMs)
    } catch (error) {
      log.error({ err: error, dispatch: name }, 'what is due could not be claimed; tried again')
      quietUntil = performance.now() + AFTER_FAILURE_MS
    }
    if (!isRunning) return
    // In a turn of its own, when this one is over.
    alarm.ring(nextInMs)
    if (isWanted) ringWhenQuiet()
  }

  const deliver = async (job: Job): Promise<void> => {
    const groups = options.groupsOf(job)
    inFlight.add(groups)
    try {
      const outcome = await options.send(job, stopping.signal)
      await outcomes.submit({ job, outcome })
    } catch (error) {
      log.error({ err: error, dispatch: name }, 'an outcome is lost; the job is sent again later')
    } finally {
      inFlight.remove(groups)
      // Something else may have waited for its place.
      hint()
    }
  }

  const settleAtLast = async (sent: readonly Sent<Job, Outcome>[]): Promise<void> => {
    try {
      await options.settle(sent)
    } catch (error) {
      if (isStatementFault(error)) throw error
      log.error({ err: error, dispatch: name }, 'outcomes could not be written; tried again')
      unwritten += 1
      await withRetries(() => options.settle(sent), stopping.signal).finally(() => {
        unwritten -= 1
      })
    }
  }

  const outcomes = createBatcher<Sent<Job, Outcome>, undefined>({
    run: async (sent) => {
      await settleAtLast(sent)
      return sent.map(() => undefined)
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
      await looking
      await inFlight.idle()
      clearTimeout(abort)
    },
  }
}

/** A process that must stop does not wait for a database that is away. */
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
