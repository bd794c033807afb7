/** Limits the number of events of a faulty page. */

/** Limit of events per type. */
export const EVENTS_PER_MINUTE = 300
export const BURST_MS = 5_000
const KEYS_MAX = 100

/** Returns whether another event of the type can be recorded in the minute of `now`. */
export function createRateLimit(): (type: string, now: number) => boolean {
  let minute = 0
  let counts: Record<string, number> = {}
  return (type, now) => {
    const current = Math.floor(now / 60_000)
    if (current !== minute) {
      minute = current
      counts = {}
    }
    const count = (counts[type] ?? 0) + 1
    counts[type] = count
    return count <= EVENTS_PER_MINUTE
  }
}

/** Returns whether a key is new or was last accepted at least five seconds ago. */
export function createBurstFilter(): (key: string, now: number) => boolean {
  const seen = new Map<string, number>()
  return (key, now) => {
    const last = seen.get(key)
    if (last !== undefined && now - last < BURST_MS) return false
    if (seen.size >= KEYS_MAX) seen.clear()
    seen.set(key, now)
    return true
  }
}
