/** A viewer of the live tail: buffers matching entries, up to a limit, until they are sent. */

import type { Owner } from '../../../../platform/owner.ts'
import { createMatcher, type LogFilters } from '../filters.ts'
import type { StoredLog } from '../reading/record.ts'

/** Entries to send now; `dropped` were skipped before them. */
export type Delivery = { dropped: number; entries: StoredLog[] }

export type Subscription = {
  /** Waits for entries. @returns undefined after `waitMs` without any, or when it was closed */
  next(waitMs: number): Promise<Delivery | undefined>
  /** Stops the delivery and ends a pending `next`. Can be called repeatedly. */
  close(): void
  readonly is_closed: boolean
}

export type Watcher = Subscription & {
  owner: Owner
  until: Date
  offer(entries: readonly StoredLog[]): void
}

/** @param options.waitingMax number of entries to buffer; beyond it the oldest are dropped */
export function createWatcher(
  owner: Owner,
  filters: LogFilters,
  options: { until: Date; waitingMax: number; onClose: (watcher: Watcher) => void },
): Watcher {
  const { until, waitingMax, onClose } = options
  const matches = createMatcher(filters)
  let entries: StoredLog[] = []
  let dropped = 0
  let isClosed = false
  let wake: (() => void) | undefined

  const watcher: Watcher = {
    owner,
    until,
    offer: (offered) => {
      const wanted = offered.filter(matches)
      if (wanted.length === 0 || isClosed) return
      const waiting = [...entries, ...wanted]
      entries = waiting.slice(-waitingMax)
      dropped += waiting.length - entries.length
      wake?.()
    },
    next: async (waitMs) => {
      if (entries.length === 0 && !isClosed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = undefined
      }
      if (isClosed || entries.length === 0) return undefined
      const delivery = { dropped, entries }
      entries = []
      dropped = 0
      return delivery
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      onClose(watcher)
      wake?.()
    },
    get is_closed() {
      return isClosed
    },
  }
  return watcher
}
