/**
 * Cached look-ups. A request waits for a look-up only until its deadline; a late look-up completes
 * in the background and fills the cache for the next request.
 */
import { createBatcher } from '../batch.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { known, type Lookup, type LookupFailure, unknown } from '../lookup.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../postgres/db.ts'
import { createMemory } from './memory.ts'
import {
  type CacheKey,
  type CacheRow,
  nameOf,
  readEntries,
  writeFailure,
  writeValue,
} from './store.ts'

export { sweepEntries } from './store.ts'

export type LookupSource<T> = {
  kind: string
  /** Time for which a value is valid. */
  ttl_seconds: (value: T) => number
  /**
   * Whether an expired value is still used while no new one is available, because it cannot have
   * changed. Default: never, so that an unavailable provider does not keep a suspicion alive (OP-6).
   */
  outlives_expiry?: (value: T) => boolean
  /** Combines a value with the previous one, for sources that only report the present. */
  merge?: (previous: { value: T; fetched_at: Date } | undefined, next: T, now: Date) => T
}

/** Must settle soon after the signal fires, whatever the provider does. */
export type Fetch<T> = (signal: AbortSignal) => Promise<Lookup<T>>

export type LookupCache = {
  /** Returns stored rows, from memory or in one statement with the reads of concurrent requests. */
  read(keys: CacheKey[]): Promise<CacheRow[]>
  resolve<T>(source: LookupSource<T>, lookup: CachedLookup<T>): Promise<Lookup<T>>
  /** Waits for look-ups that still run in the background. */
  drain(): Promise<void>
}

export type CachedLookup<T> = {
  key: string
  fetch: Fetch<T>
  /** The rows that `read` returned for this request. */
  stored: CacheRow[]
  deadline: LookupDeadline
}

/** The deadline of a whole request; its timer is only created when something has to be awaited. */
export type LookupDeadline = () => Promise<'late'>

export function createLookupDeadline(milliseconds: number): LookupDeadline {
  const started = performance.now()
  let late: Promise<'late'> | undefined
  return () => {
    late ??= new Promise((resolve) => {
      const left = Math.max(0, milliseconds - (performance.now() - started))
      setTimeout(resolve, left, 'late').unref()
    })
    return late
  }
}

export type LookupCacheOptions = {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Time limit of a look-up, which may continue in the background. */
  timeout_ms: number
}

const FAILURE_TTL_SECONDS: Record<LookupFailure, number> = {
  timeout: 30,
  unreachable: 30,
  rate_limited: 120,
  overloaded: 1,
  refused: 300,
  server_error: 60,
  bad_answer: 300,
  not_configured: 300,
  not_applicable: 3600,
}
const READ_KEYS_MAX = 256
/** Rows in memory, of a few hundred bytes each. */
const MEMORY_ROWS_MAX = 20_000
/** Under a flood of new keys, further ones are unknown instead of piling up. */
const IN_FLIGHT_MAX = 2000

export function createLookupCache(options: LookupCacheOptions): LookupCache {
  const { db, clock, log, metrics } = options
  const inFlight = new Map<string, Promise<Lookup<unknown>>>()
  const memory = createMemory(MEMORY_ROWS_MAX)
  const reads = createBatcher<CacheKey[], CacheRow[]>({
    run: async (requests) => {
      const rows = await readEntries(db, requests.flat())
      for (const row of rows) if (row.failure === null) memory.put(row)
      const byKey = new Map(rows.map((row) => [nameOf(row), row]))
      return requests.map((keys) =>
        keys.flatMap((key) => {
          const row = byKey.get(nameOf(key))
          return row ? [row] : []
        }),
      )
    },
    items_max: READ_KEYS_MAX,
    batches_in_flight_max: 2,
  })

  const fetchAndStore = async <T>(
    source: LookupSource<T>,
    key: string,
    fetch: Fetch<T>,
    stored: CacheRow | undefined,
  ): Promise<Lookup<T>> => {
    const fetched = await fetch(AbortSignal.timeout(options.timeout_ms))
    metrics.countLookup(source.kind, fetched.known ? 'known' : fetched.reason)
    const now = clock.now()
    const result = fetched.known ? known(mergeWith(source, stored, fetched.value, now)) : fetched
    const ttl = result.known ? source.ttl_seconds(result.value) : FAILURE_TTL_SECONDS[result.reason]
    const expires = new Date(now.getTime() + ttl * 1000)
    const id = { kind: source.kind, key }
    const times = { fetched_at: now, expires_at: expires }
    await (result.known
      ? writeValue(db, id, { value: result.value, ...times })
      : writeFailure(db, id, { failure: result.reason, ...times })
    ).catch((error: unknown) =>
      log.warn({ err: error, kind: source.kind }, 'a look-up could not be cached'),
    )
    return result
  }

  const fetchOnce = <T>(
    source: LookupSource<T>,
    key: string,
    fetch: Fetch<T>,
    stored: CacheRow | undefined,
  ): Promise<Lookup<T>> => {
    const name = nameOf({ kind: source.kind, key })
    const running = inFlight.get(name)
    if (running) return running as Promise<Lookup<T>>
    if (inFlight.size >= IN_FLIGHT_MAX) return Promise.resolve(unknown('overloaded'))
    const started = fetchAndStore(source, key, fetch, stored)
      .catch((error: unknown): Lookup<T> => {
        log.error({ err: error, kind: source.kind }, 'a look-up failed unexpectedly')
        return unknown('bad_answer')
      })
      .finally(() => inFlight.delete(name))
    inFlight.set(name, started)
    return started
  }

  return {
    read: async (keys) => {
      const now = clock.now()
      const rows: CacheRow[] = []
      for (const key of keys) {
        const row = memory.get(key, now)
        // If one key must be read, reading the others with it costs nothing.
        if (!row) return await reads.submit(keys)
        rows.push(row)
      }
      return rows
    },
    resolve: async <T>(
      source: LookupSource<T>,
      { key, fetch, stored: rows, deadline }: CachedLookup<T>,
    ): Promise<Lookup<T>> => {
      const stored = rows.find((row) => row.kind === source.kind && row.key === key)
      if (stored && stored.expires_at > clock.now()) {
        if (stored.failure === null) return known(stored.value as T)
        return lasting(source, stored) ?? unknown(stored.failure)
      }
      const fetched = await Promise.race([fetchOnce(source, key, fetch, stored), deadline()])
      if (fetched !== 'late' && fetched.known) return fetched
      return lasting(source, stored) ?? (fetched === 'late' ? unknown('timeout') : fetched)
    },
    drain: async () => {
      await Promise.all(inFlight.values())
    },
  }
}

function lasting<T>(source: LookupSource<T>, stored: CacheRow | undefined): Lookup<T> | undefined {
  if (!stored || stored.value === null) return undefined
  const value = stored.value as T
  return source.outlives_expiry?.(value) === true ? known(value) : undefined
}

function mergeWith<T>(
  { merge }: LookupSource<T>,
  stored: CacheRow | undefined,
  next: T,
  now: Date,
): T {
  if (!merge) return next
  const previous =
    stored && stored.value !== null
      ? { value: stored.value as T, fetched_at: stored.fetched_at }
      : undefined
  return merge(previous, next, now)
}
