/**
 * Cached answers that this process keeps at hand. A row is written anew only once it has expired, so
 * until then what is remembered is what the table says, and saves the round trip.
 */
import { type CacheKey, type CacheRow, nameOf } from './store.ts'

export type Memory = {
  keep(row: CacheRow): void
  /** @returns undefined when the row is not remembered or has expired */
  find(key: CacheKey, now: Date): CacheRow | undefined
}

/** @param rowsMax more are never held; what is asked for stays longest */
export function createMemory(rowsMax: number): Memory {
  let young = new Map<string, CacheRow>()
  let old = new Map<string, CacheRow>()
  const keep = (name: string, row: CacheRow) => {
    young.set(name, row)
    if (young.size * 2 < rowsMax) return
    // What was not asked for during a whole generation goes with it.
    old = young
    young = new Map()
  }
  return {
    keep: (row) => keep(nameOf(row), row),
    find: (key, now) => {
      const name = nameOf(key)
      const found = young.get(name)
      const row = found ?? old.get(name)
      if (!row || row.expires_at <= now) return undefined
      if (!found) keep(name, row)
      return row
    },
  }
}
