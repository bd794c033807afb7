/** One who watches: what passes the filters waits here until it was sent, up to a limit. */
import { createMatcher, type LogFilters } from '../filters.ts'
import type { Scope } from '../reading/hours.ts'
import type { StoredLog } from '../reading/record.ts'

/** What is to be sent now: how many entries were left out, and then those that were not. */
export type Delivery = { dropped: number; entries: StoredLog[] }

export type Subscription = {
  /** Waits until there is something. @returns undefined after so long, or when it was closed */
  next(waitMs: number): Promise<Delivery | undefined>
  /** No more comes, and who waits stops waiting. Can be repeated. */
  close(): void
  readonly is_closed: boolean
}

export type Watcher = Subscription & {
  scope: Scope
  until: Date
  offer(entries: readonly StoredLog[]): void
}

/** @param options.waitingMax entries; of more than that, the oldest are dropped */
export function createWatcher(
  scope: Scope,
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
    scope,
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
