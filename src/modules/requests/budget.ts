/**
 * Limits the log entries per second and organization. A share is reserved for refused requests:
 * they are why people read the log, and a flood of successful ones must not displace them.
 */

export type Budget = {
  /** @returns whether to log the request; otherwise it is counted as left out */
  take(orgId: string, isRefused: boolean): boolean
  /** Counts requests as left out that were accepted but not stored. */
  lose(orgId: string, count: number): void
  /** Starts the next second. @returns the number of left-out requests per organization */
  close(): Map<string, number>
}

/** Share reserved for refused requests; at least one place unless there is only one. */
const REFUSED_SHARE = 0.2
/** Bounds the memory; the map is emptied every second. */
const ORGANIZATIONS_MAX = 10_000

type Count = { good: number; refused: number; left_out: number }

export function createBudget(perSecond: number): Budget {
  const reserved = perSecond === 1 ? 0 : Math.ceil(perSecond * REFUSED_SHARE)
  let counts = new Map<string, Count>()

  const countOf = (orgId: string): Count | undefined => {
    const known = counts.get(orgId)
    if (known !== undefined || counts.size >= ORGANIZATIONS_MAX) return known
    const fresh = { good: 0, refused: 0, left_out: 0 }
    counts.set(orgId, fresh)
    return fresh
  }

  return {
    take: (orgId, isRefused) => {
      const count = countOf(orgId)
      if (count === undefined) return false
      const isFree = isRefused
        ? count.refused < reserved || count.good + count.refused < perSecond
        : count.good < perSecond - reserved && count.good + count.refused < perSecond
      if (!isFree) count.left_out += 1
      else if (isRefused) count.refused += 1
      else count.good += 1
      return isFree
    },
    lose: (orgId, lost) => {
      const count = countOf(orgId)
      if (count) count.left_out += lost
    },
    close: () => {
      const closed = counts
      counts = new Map()
      const leftOut = new Map<string, number>()
      for (const [orgId, { left_out }] of closed) if (left_out > 0) leftOut.set(orgId, left_out)
      return leftOut
    },
  }
}
