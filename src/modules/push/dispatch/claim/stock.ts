/**
 * Claims ahead of need, so that no place is ever free while the database is asked for more: a place that
 * gets free is filled from here at once, and what is here is filled up beside that, some times a second.
 */
import type { Room } from '../../../../platform/dispatch/index.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Channel, Job } from '../job.ts'
import { createShelves } from './shelves.ts'

export type StockOptions = {
  /** Claims more, given what this process has already, by group. */
  refill: (room: Room) => Promise<{ jobs: readonly Job[]; is_more: boolean }>
  /** These are as if they had never been claimed. */
  giveBack: (jobs: readonly Job[]) => Promise<void>
  /** There is something to be taken. */
  hint: () => void
  log: Log
  /** About so many are kept. */
  stock_max: number
  /** How many of a group may be under way. */
  sharesOf: (channel: Channel) => number
}

export type Stock = {
  claim(room: Room): Promise<{ jobs: Job[]; is_more: boolean }>
  /** A provider said of this group that nothing more of it is to be sent now. */
  drop(group: string): void
  /** Gives back what is left. */
  close(): Promise<void>
}

const PACE_MS = 30
/** Looking in vain must cost little. */
const VAIN_PAUSE = 10
const PACE_MAX_MS = 250
const AFTER_FAILURE_MS = 1000

export function createStock(options: StockOptions): Stock {
  const { refill, hint, log, stock_max } = options
  const shelves = createShelves(options.sharesOf)
  const returns = createReturns(options)
  let fetching: Promise<void> | undefined
  let nextFetchAt = 0
  let isMore = false
  let later: NodeJS.Timeout | undefined

  const fill = async ({ in_flight }: Room): Promise<void> => {
    const begun = performance.now()
    const wanted = { jobs: stock_max - shelves.size(), in_flight: shelves.addedTo(in_flight) }
    const { jobs, is_more } = await refill(wanted)
    shelves.put(jobs)
    isMore = is_more
    const ended = performance.now()
    const pause_ms = Math.min(PACE_MAX_MS, VAIN_PAUSE * (ended - begun))
    nextFetchAt = ended + (jobs.length > 0 ? PACE_MS : Math.max(PACE_MS, pause_ms))
  }

  const fillBeside = (room: Room): void => {
    if (fetching || shelves.size() >= stock_max) return
    const isShort = isMore && shelves.size() < stock_max / 2
    const waitMs = isShort ? 0 : nextFetchAt - performance.now()
    if (waitMs > 0) {
      // Whoever asked may have been told of something that is not here yet.
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
        log.error({ err: error, dispatch: 'push' }, 'what is due could not be claimed')
      })
      .finally(() => {
        fetching = undefined
        if (shelves.size() > 0) hint()
      })
  }

  return {
    claim: async (room) => {
      const isIdle = shelves.size() === 0 && room.in_flight.size === 0
      if (isIdle) await (fetching ?? fill(room))
      const { ready, stale } = shelves.take(room)
      returns.add(stale)
      fillBeside(room)
      return { jobs: ready, is_more: isMore && shelves.size() === 0 && !fetching }
    },
    drop: (group) => returns.add(shelves.clear(group)),
    close: async () => {
      clearTimeout(later)
      await fetching
      for (const group of shelves.groups()) returns.add(shelves.clear(group))
      await returns.done()
    },
  }
}

/** What is given back while nobody waits for it. */
function createReturns({ giveBack, log }: Pick<StockOptions, 'giveBack' | 'log'>) {
  const working = new Set<Promise<void>>()
  return {
    add: (jobs: readonly Job[]): void => {
      if (jobs.length === 0) return
      const work = giveBack(jobs)
        .catch((error: unknown) =>
          // They are free again when their leases end.
          log.error({ err: error, dispatch: 'push' }, 'what was not sent could not be given back'),
        )
        .finally(() => working.delete(work))
      working.add(work)
    },
    done: async (): Promise<void> => {
      await Promise.all(working)
    },
  }
}
