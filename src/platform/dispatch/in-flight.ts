/** Counts the jobs that a process has claimed, in total, and those that it is sending, by group. */
export type InFlight = {
  /** Number of jobs that can be added. */
  room(): number
  groups: ReadonlyMap<string, number>
  add(groups: readonly string[]): void
  /** Ends the sending of a job, which still counts in total. */
  free(groups: readonly string[]): void
  /** Ends a job. @param groups those that were not freed before */
  remove(groups: readonly string[]): void
  /** Resolves when no job is left. */
  idle(): Promise<void>
}

export function createInFlight(max: number): InFlight {
  const counts = new Map<string, number>()
  let total = 0
  let idleListeners: (() => void)[] = []

  const change = (groups: readonly string[], by: 1 | -1) => {
    for (const group of groups) {
      const count = (counts.get(group) ?? 0) + by
      if (count === 0) counts.delete(group)
      else counts.set(group, count)
    }
  }

  return {
    room: () => Math.max(0, max - total),
    groups: counts,
    add: (groups) => {
      total += 1
      change(groups, 1)
    },
    free: (groups) => change(groups, -1),
    remove: (groups) => {
      total -= 1
      change(groups, -1)
      if (total > 0) return
      for (const listener of idleListeners) listener()
      idleListeners = []
    },
    idle: () =>
      total === 0 ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve)),
  }
}
