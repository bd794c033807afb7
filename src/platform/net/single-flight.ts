/**
 * Concurrent callers with the same key share one piece of work. Nothing is cached after the work has
 * ended, neither a value nor an error.
 */

export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>

export function createSingleFlight<T>(): SingleFlight<T> {
  const flying = new Map<string, Promise<T>>()
  return (key, work) => {
    const joined = flying.get(key)
    if (joined !== undefined) return joined
    const flight = run(work).finally(() => flying.delete(key))
    flying.set(key, flight)
    return flight
  }
}

/** Async, so that a synchronous exception of the work becomes a rejection. */
async function run<T>(work: () => Promise<T>): Promise<T> {
  return await work()
}
