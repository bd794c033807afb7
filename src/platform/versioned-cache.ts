/**
 * Caches a versioned value for each key, so that hot paths need no query for it. While a key is used,
 * its value is read again every second, in one query for all concurrent callers, and a value that was
 * read more than two seconds ago is not returned, so other nodes follow within two seconds.
 */

import { createBatcher } from './batch.ts'

export type VersionedCache<Key, Value> = {
  /** Returns a promise only when the value has to be read first. */
  of(key: Key): Value | Promise<Value>
  /** Makes a value that was changed on this node effective here immediately. */
  learn(key: Key, value: Value): Value
}

export type CacheAges = {
  /** Age from which values are read again while the cached ones are still returned. */
  fresh_ms?: number
  /** Age from which cached values are no longer returned. */
  stale_ms?: number
}

export type VersionedCacheOptions<Key, Value> = CacheAges & {
  /** Reads values in the order of the keys. @param known returns the cached value of a key */
  read: (keys: readonly Key[], known: (key: Key) => Value | undefined) => Promise<readonly Value[]>
  keyOf: (key: Key) => string
  versionOf: (value: Value) => number
  /** Memory that a value takes, in units of `size_max`; 1 by default. */
  sizeOf?: (value: Value) => number
  size_max?: number
}

const FRESH_MS = 1000
const STALE_MS = 2000
const SIZE_MAX = 20_000
const KEYS_PER_READ_MAX = 500

export function createVersionedCache<Key, Value>({
  read: readValues,
  keyOf,
  versionOf,
  sizeOf = () => 1,
  fresh_ms = FRESH_MS,
  stale_ms = STALE_MS,
  size_max = SIZE_MAX,
}: VersionedCacheOptions<Key, Value>): VersionedCache<Key, Value> {
  const cached = new Map<string, { value: Value; read_at: number }>()
  const readings = new Map<string, Promise<Value>>()
  let size = 0
  const reader = createBatcher({
    run: async (keys: Key[]) => [
      ...(await readValues(keys, (key) => cached.get(keyOf(key))?.value)),
    ],
    items_max: KEYS_PER_READ_MAX,
    batches_in_flight_max: 2,
  })

  const forget = (name: string) => {
    const entry = cached.get(name)
    if (entry === undefined) return
    size -= sizeOf(entry.value)
    cached.delete(name)
  }
  const store = (key: Key, found: Value, read_at: number): Value => {
    const name = keyOf(key)
    const before = cached.get(name)?.value
    // A read that started before a change on this node may return the older version.
    const isOlder = before !== undefined && versionOf(found) <= versionOf(before)
    const value = isOlder ? before : found
    // Map order is age: the entry that was read longest ago is evicted first.
    forget(name)
    cached.set(name, { value, read_at })
    size += sizeOf(value)
    for (const [oldest] of cached) {
      if (size <= size_max || oldest === name) break
      forget(oldest)
    }
    return value
  }

  const read = (key: Key): Promise<Value> => {
    const name = keyOf(key)
    const running = readings.get(name)
    if (running) return running
    const started_at = performance.now()
    const reading = reader
      .submit(key)
      .then((value) => store(key, value, started_at))
      .finally(() => readings.delete(name))
    readings.set(name, reading)
    return reading
  }

  return {
    of: (key) => {
      const known = cached.get(keyOf(key))
      if (known === undefined) return read(key)
      const age_ms = performance.now() - known.read_at
      if (age_ms < fresh_ms) return known.value
      const reading = read(key)
      if (age_ms >= stale_ms) return reading
      // A failed refresh is reported to the caller that finds the value stale.
      reading.catch(() => undefined)
      return known.value
    },
    learn: (key, value) => store(key, value, performance.now()),
  }
}
