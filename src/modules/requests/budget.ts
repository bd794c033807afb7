/**
 * Which requests of a second are kept: a bounded number per organisation, of which a part is for
 * those that were refused. They are why anybody looks, and a flood of good ones must not hide them.
 */

export type Budget = {
  /** @returns whether to keep it; what is not kept is counted */
  take(orgId: string, isRefused: boolean): boolean
  /** Counts something that was not kept after all. */
  lose(orgId: string, count: number): void
  /** How many were not kept since the last time, per organisation; begins the next second. */
  close(): Map<string, number>
}

/** For what is refused: every fifth place, and at least one where there is more than one. */
const REFUSED_SHARE = 0.2
/** What remembers organisations is emptied with each second, and yet bounded. */
const ORGANIZATIONS_MAX = 10_000

type Count = { good: number; refused: number; left_out: number }

export function createBudget(perSecond: number): Budget {
  const forRefused = perSecond === 1 ? 0 : Math.ceil(perSecond * REFUSED_SHARE)
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
        ? count.refused < forRefused || count.good + count.refused < perSecond
        : count.good < perSecond - forRefused && count.good + count.refused < perSecond
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
