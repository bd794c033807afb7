/** Timers that a server clears when it closes. */
export type Timers = {
  later(delayMs: number, work: () => void): void
  clear(): void
}

export function createTimers(): Timers {
  const timers = new Set<NodeJS.Timeout>()
  return {
    later: (delayMs, work) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        work()
      }, delayMs)
      timers.add(timer)
    },
    clear: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
