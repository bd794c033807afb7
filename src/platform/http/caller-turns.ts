/**
 * Processes the bodies of a caller one at a time, so that the next body costs nothing after one of them has
 * exceeded the limit of the caller.
 */
export type CallerTurns = <T>(caller: string | undefined, work: () => Promise<T>) => Promise<T>

/** Without a caller, nothing waits. */
export function createCallerTurns(): CallerTurns {
  const last = new Map<string, Promise<unknown>>()
  return async (caller, work) => {
    if (caller === undefined) return await work()
    const before = last.get(caller)
    const own = before === undefined ? work() : before.then(work, work)
    last.set(caller, own)
    try {
      return await own
    } finally {
      if (last.get(caller) === own) last.delete(caller)
    }
  }
}
