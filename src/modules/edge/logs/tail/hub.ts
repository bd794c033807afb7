/**
 * The live tail: what was taken in is shown to those who watch, before and whether or not it has
 * reached the engine. However many watch, one reader per process looks into the spool, and only
 * while somebody watches.
 */
import type { Clock } from '../../../../platform/clock.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { readRecentBatches } from '../../../../platform/spool/index.ts'
import type { LogFilters } from '../filters.ts'
import type { Scope } from '../reading/hours.ts'
import { entriesOf } from './entry.ts'
import { readDatabaseTime } from './store.ts'
import { createWatcher, type Subscription, type Watcher } from './subscription.ts'

export type Tail = {
  /**
   * Until it is closed, or until the time that is named.
   *
   * @returns undefined when too many watch the organisation, or the process is stopping
   */
  watch(scope: Scope, filters: LogFilters, until: Date): Subscription | undefined
  /** Ends all subscriptions; resolves when nothing is being read. */
  close(): Promise<void>
}

export type TailOptions = {
  db: Db
  clock: Clock
  log: Log
  poll_ms?: number
  watchers_per_organization_max?: number
  entries_waiting_max?: number
}

const POLL_MS = 500
const WATCHERS_PER_ORGANIZATION_MAX = 20
const ENTRIES_WAITING_MAX = 1000
/**
 * A transaction becomes visible after the time that it gives its rows, so each reading goes back a
 * little, and what was seen is left out by its id.
 */
const OVERLAP_MS = 5000
const SEEN_FOR_MS = 3 * OVERLAP_MS

export function createTail(options: TailOptions): Tail {
  const {
    poll_ms = POLL_MS,
    watchers_per_organization_max = WATCHERS_PER_ORGANIZATION_MAX,
    entries_waiting_max = ENTRIES_WAITING_MAX,
  } = options
  const watchers = new Set<Watcher>()
  const stopping = new AbortController()
  let reading: Promise<void> | undefined

  const read = async () => {
    const seen = new Map<string, number>()
    while (watchers.size > 0) {
      try {
        await readOnce(options.db, watchers, seen)
      } catch (error) {
        options.log.warn({ err: error }, 'the live tail could not read the spool; tried again')
      }
      await pause(poll_ms, stopping.signal)
      const now = options.clock.now()
      for (const watcher of watchers) if (watcher.until <= now) watcher.close()
    }
  }
  const start = () => {
    reading ??= read().finally(() => {
      reading = undefined
      // Somebody came between the last look and the end.
      if (watchers.size > 0) start()
    })
  }

  return {
    watch: (scope, filters, until) => {
      if (stopping.signal.aborted) return undefined
      const beside = [...watchers].filter((watcher) => watcher.scope.org_id === scope.org_id)
      if (beside.length >= watchers_per_organization_max) return undefined
      const watcher = createWatcher(scope, filters, {
        until,
        waitingMax: entries_waiting_max,
        onClose: (closed) => void watchers.delete(closed),
      })
      watchers.add(watcher)
      start()
      return watcher
    },
    close: async () => {
      stopping.abort()
      for (const watcher of watchers) watcher.close()
      await reading
    },
  }
}

/** @param seen ids of batches, and when they were seen */
async function readOnce(
  db: Db,
  watchers: ReadonlySet<Watcher>,
  seen: Map<string, number>,
): Promise<void> {
  const since = new Date((await readDatabaseTime(db)).getTime() - OVERLAP_MS)
  const orgIds = [...new Set([...watchers].map(({ scope }) => scope.org_id))]
  const batches = await readRecentBatches(db, orgIds, since, { seen: [...seen.keys()] })
  const now = performance.now()
  for (const [id, seenAt] of seen) if (seenAt < now - SEEN_FOR_MS) seen.delete(id)
  for (const { id, org_id, mode, payload } of batches) {
    seen.set(id, now)
    const audience = [...watchers].filter(
      ({ scope }) => scope.org_id === org_id && scope.mode === mode,
    )
    if (audience.length === 0) continue
    const entries = entriesOf(payload)
    for (const watcher of audience) watcher.offer(entries)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
