/**
 * Rows of the cache in the memory of this process. A row is only overwritten after it has expired, so
 * until then the copy in memory equals the table and saves the round trip.
 */
import { type CacheKey, type CacheRow, nameOf } from './store.ts'

export type Memory = {
  put(row: CacheRow): void
  /** @returns undefined if the row is not in memory or has expired */
  get(key: CacheKey, now: Date): CacheRow | undefined
}

/** @param rowsMax maximum number of rows; rows that are used stay longest */
export function createMemory(rowsMax: number): Memory {
  let young = new Map<string, CacheRow>()
  let old = new Map<string, CacheRow>()
  const put = (name: string, row: CacheRow) => {
    young.set(name, row)
    if (young.size * 2 < rowsMax) return
    // Rows that were not used for a whole generation are dropped with it.
    old = young
    young = new Map()
  }
  return {
    put: (row) => put(nameOf(row), row),
    get: (key, now) => {
      const name = nameOf(key)
      const found = young.get(name)
      const row = found ?? old.get(name)
      if (!row || row.expires_at <= now) return undefined
      if (!found) put(name, row)
      return row
    },
  }
}
