/** Runs work concurrently up to a limit. */

export type Limit = {
  /** Starts the work as soon as there is room. Throws the first failure of earlier work. */
  run(work: () => Promise<unknown>): Promise<void>
  /** Resolves when all work is done, or throws its first failure. */
  idle(): Promise<void>
}

export function createLimit(max: number): Limit {
  const running = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  const check = () => {
    if (failures.length > 0) throw failures[0]
  }
  return {
    run: async (work) => {
      while (running.size >= max) await Promise.race(running)
      check()
      const done = work()
        .catch((error: unknown) => failures.push(error))
        .finally(() => running.delete(done))
      running.add(done)
    },
    idle: async () => {
      await Promise.all(running)
      check()
    },
  }
}
