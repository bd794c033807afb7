/**
 * The live tail: sends new entries to viewers from the spool, whether or not they have reached the
 * analytics engine. One reader per process polls the spool for all viewers, and only while there are
 * any.
 */
import type { Clock } from '../../../../platform/clock.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { createRepeatedErrors } from '../../../../platform/repeated-errors.ts'
import { readRecentBatches } from '../../../../platform/spool/index.ts'
import { waitFor } from '../../../../platform/wait.ts'
import { withMembers } from '../../error-merges/store.ts'
import type { LogFilters } from '../filters.ts'
import { entriesOf } from './entry.ts'
import { readDatabaseTime } from './store.ts'
import { createWatcher, type Subscription, type Watcher } from './subscription.ts'

export type Tail = {
  /**
   * Watches until the subscription is closed or `until` is reached.
   *
   * @returns undefined if the organization has too many viewers or the process is stopping
   */
  watch(owner: Owner, filters: LogFilters, until: Date): Subscription | undefined
  /** A filter for an error group selects the errors of all groups that were merged into it so far. */
  filtersOf(owner: Owner, filters: LogFilters): Promise<LogFilters>
  /** Ends all subscriptions and resolves when the reader has stopped. */
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
 * A transaction becomes visible after the timestamp of its rows, so each read overlaps the previous
 * one, and batches that were already seen are skipped by id.
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
  const errors = createRepeatedErrors(options.log)
  const stopping = new AbortController()
  let reading: Promise<void> | undefined

  const read = async () => {
    const seen = new Map<string, number>()
    while (watchers.size > 0) {
      try {
        await readOnce(options.db, watchers, seen)
      } catch (error) {
        errors.log(error, {}, 'the live tail could not read the spool; will retry')
      }
      await waitFor(poll_ms, stopping.signal)
      const now = options.clock.now()
      for (const watcher of watchers) if (watcher.until <= now) watcher.close()
    }
  }
  const start = () => {
    reading ??= read().finally(() => {
      reading = undefined
      // A viewer may have come after the loop's last check.
      if (watchers.size > 0) start()
    })
  }

  return {
    filtersOf: async (owner, filters) => await withMembers(options.db, owner, filters),
    watch: (owner, filters, until) => {
      if (stopping.signal.aborted) return undefined
      const others = [...watchers].filter((watcher) => watcher.owner.org_id === owner.org_id)
      if (others.length >= watchers_per_organization_max) return undefined
      const watcher = createWatcher(owner, filters, {
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

/** @param seen ids of the batches that were sent, with the time */
async function readOnce(
  db: Db,
  watchers: ReadonlySet<Watcher>,
  seen: Map<string, number>,
): Promise<void> {
  const since = new Date((await readDatabaseTime(db)).getTime() - OVERLAP_MS)
  const orgIds = [...new Set([...watchers].map(({ owner }) => owner.org_id))]
  const batches = await readRecentBatches(db, orgIds, since, {
    target: 'edge_logs',
    seen: [...seen.keys()],
  })
  const now = performance.now()
  for (const [id, seenAt] of seen) if (seenAt < now - SEEN_FOR_MS) seen.delete(id)
  for (const { id, org_id, mode, payload } of batches) {
    seen.set(id, now)
    const audience = [...watchers].filter(
      ({ owner }) => owner.org_id === org_id && owner.mode === mode,
    )
    if (audience.length === 0) continue
    const entries = entriesOf(payload)
    for (const watcher of audience) watcher.offer(entries)
  }
}
