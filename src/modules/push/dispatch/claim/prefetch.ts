/**
 * Claims jobs ahead of need, so that sending never waits for the database. Free capacity is filled from
 * the prefetched jobs immediately, and these are replenished in the background several times a second.
 */
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { Log } from '../../../../platform/log.ts'
import { createRepeatedErrors, type RepeatedErrors } from '../../../../platform/repeated-errors.ts'
import type { Channel, Job } from '../job.ts'
import { createWaitingJobs } from './waiting-jobs.ts'

export type PrefetchOptions = {
  /** Claims more jobs, given the number that this process already has per group. */
  refill: (room: Room) => Promise<{ jobs: readonly Job[]; is_more: boolean }>
  /** Undoes the claim of jobs that were not sent. */
  release: (jobs: readonly Job[]) => Promise<void>
  /** Called when jobs are ready to be claimed. */
  hint: () => void
  log: Log
  /** Approximate number of jobs held in advance. */
  prefetch_max: number
  /** Maximum number of jobs under way for the group of a channel. */
  shareOf: (channel: Channel) => number
}

export type Prefetch = {
  claim(room: Room): Promise<{ jobs: Job[]; is_more: boolean }>
  /** Releases the jobs of a group, after its provider asked to stop sending. */
  drop(group: string): void
  /** Releases all remaining jobs. */
  close(): Promise<void>
}

const PACE_MS = 30
/** After an empty claim, the pause is this many times its duration, so that polling costs little. */
const EMPTY_PAUSE_FACTOR = 10
const PACE_MAX_MS = 250
const AFTER_FAILURE_MS = 1000

export function createPrefetch(options: PrefetchOptions): Prefetch {
  const { refill, release, hint, prefetch_max } = options
  const errors = createRepeatedErrors(options.log)
  const waiting = createWaitingJobs(options.shareOf)
  const returns = createReturns(release, errors)
  let fetching: Promise<void> | undefined
  let nextFetchAt = 0
  let isMore = false
  let later: NodeJS.Timeout | undefined

  const fill = async ({ in_flight }: Room): Promise<void> => {
    const begun = performance.now()
    const wanted = { jobs: prefetch_max - waiting.size(), in_flight: waiting.addedTo(in_flight) }
    const { jobs, is_more } = await refill(wanted)
    waiting.put(jobs)
    isMore = is_more
    const ended = performance.now()
    const pause_ms = Math.min(PACE_MAX_MS, EMPTY_PAUSE_FACTOR * (ended - begun))
    nextFetchAt = ended + (jobs.length > 0 ? PACE_MS : Math.max(PACE_MS, pause_ms))
  }

  const fillInBackground = (room: Room): void => {
    if (fetching || waiting.size() >= prefetch_max) return
    const isShort = isMore && waiting.size() < prefetch_max / 2
    const waitMs = isShort ? 0 : nextFetchAt - performance.now()
    if (waitMs > 0) {
      // The caller may have been woken for a job that is not fetched yet, so wake it again later.
      later ??= setTimeout(() => {
        later = undefined
        hint()
      }, waitMs).unref()
      return
    }
    fetching = fill(room)
      .catch((error: unknown) => {
        nextFetchAt = performance.now() + AFTER_FAILURE_MS
        isMore = false
        errors.log(error, { dispatch: 'push' }, 'claiming push jobs failed')
      })
      .finally(() => {
        fetching = undefined
        if (waiting.size() > 0) hint()
      })
  }

  return {
    claim: async (room) => {
      const isIdle = waiting.size() === 0 && room.in_flight.size === 0
      if (isIdle) await (fetching ?? fill(room))
      const { ready, stale } = waiting.take(room)
      returns.add(stale)
      fillInBackground(room)
      return { jobs: ready, is_more: isMore && waiting.size() === 0 && !fetching }
    },
    drop: (group) => returns.add(waiting.clear(group)),
    close: async () => {
      clearTimeout(later)
      await fetching
      for (const group of waiting.groups()) returns.add(waiting.clear(group))
      await returns.done()
    },
  }
}

/** Releases jobs in the background. */
function createReturns(release: PrefetchOptions['release'], errors: RepeatedErrors) {
  const working = new Set<Promise<void>>()
  return {
    add: (jobs: readonly Job[]): void => {
      if (jobs.length === 0) return
      const work = release(jobs)
        .catch((error: unknown) =>
          // The jobs become free when their leases expire.
          errors.log(error, { dispatch: 'push' }, 'releasing unsent push jobs failed'),
        )
        .finally(() => working.delete(work))
      working.add(work)
    },
    done: async (): Promise<void> => {
      await Promise.all(working)
    },
  }
}
