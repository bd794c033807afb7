/**
 * Work on the bodies of one caller happens one body at a time, so that a body that exceeds the limits of
 * its caller is known to before the next one costs anything.
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
